package conform

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// groups is Ratio sum of |w_g| over pairs of weights + (1-Ratio) |w|^2/2: the group lasso, with
// a ridge. It is sound, and declares nothing.
type groups struct{ Ratio float64 }

// shrink returns by what factor a pair of the norm size is multiplied when t is taken off.
func (g groups) shrink(pair []float64, t float64) float64 {
	size := math.Sqrt(inner(pair, pair))
	return max(0, size-t) / max(size, 1e-300)
}

func (g groups) Value(w []float64) (sum float64) {
	for pair := range slices.Chunk(w, 2) {
		sum += g.Ratio*math.Sqrt(inner(pair, pair)) + (1-g.Ratio)*inner(pair, pair)/2
	}
	return sum
}

func (g groups) Prox(dst, v []float64, step float64) {
	copy(dst, v)
	for pair := range slices.Chunk(dst, 2) {
		factor := g.shrink(pair, step*g.Ratio) / (1 + step*(1-g.Ratio))
		for j := range pair {
			pair[j] *= factor
		}
	}
}

func (g groups) Conjugate(u []float64) (scale, value float64) {
	largest := 0.0
	for pair := range slices.Chunk(u, 2) {
		size := math.Sqrt(inner(pair, pair))
		largest = max(largest, size/g.Ratio)
		value += math.Pow(max(0, size-g.Ratio), 2) / (2 * (1 - g.Ratio))
	}
	switch {
	case g.Ratio < 1:
		return 1, value
	case largest <= 1:
		return 1, 0
	}
	return 1 / largest * (1 - 0x1p-50), 0
}

func (g groups) StrongConvexity() float64 { return 1 - g.Ratio }

// strongGroups declares the gradient of its conjugate, rightly.
type strongGroups struct{ groups }

func (g strongGroups) Weights(dst, u []float64) {
	copy(dst, u)
	for pair := range slices.Chunk(dst, 2) {
		factor := g.shrink(pair, g.Ratio) / (1 - g.Ratio)
		for j := range pair {
			pair[j] *= factor
		}
	}
}

// separableGroups declares that it is one of single weights, wrongly.
type separableGroups struct{ groups }

func (g separableGroups) Weights(dst, u []float64)               { strongGroups(g).Weights(dst, u) }
func (g separableGroups) WeightsAt(dst, u []float64, _ []uint32) { g.Weights(dst, u) }

// elasticGroups takes over what l2 declares.
type elasticGroups struct {
	groups
	penalty.L2
}

func (g elasticGroups) Value(w []float64) float64                    { return g.groups.Value(w) }
func (g elasticGroups) Prox(dst, v []float64, step float64)          { g.groups.Prox(dst, v, step) }
func (g elasticGroups) Conjugate(u []float64) (scale, value float64) { return g.groups.Conjugate(u) }
func (g elasticGroups) StrongConvexity() float64                     { return g.groups.StrongConvexity() }

// catenary is cosh(p-y) - 1: curved, and steeper than any parabola.
type catenary struct{}

var _ loss.Curved = catenary{}

func (catenary) Value(p, y float64) float64      { return math.Cosh(p-y) - 1 }
func (catenary) Derivative(p, y float64) float64 { return math.Sinh(p - y) }
func (catenary) Curvature(p, y float64) float64  { return math.Cosh(p - y) }
func (catenary) Conjugate(a, y float64) float64 {
	return a*y + a*math.Asinh(a) - a*a/(1+math.Sqrt(1+a*a))
}
func (catenary) Domain(float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }
func (catenary) Smoothness() float64             { return math.Inf(1) }

// Prox halves the bracket of r + step sinh r = v - y.
func (catenary) Prox(v, step, y float64) float64 {
	target := math.Abs(v - y)
	lo, hi := 0.0, min(target, math.Asinh(target/step))
	for range 200 {
		if r := lo + (hi-lo)/2; r+step*math.Sinh(r) > target {
			hi = r
		} else {
			lo = r
		}
	}
	return y + math.Copysign(lo, v-y)
}

// inverted declares where the catenary has a given slope.
type inverted struct{ catenary }

func (inverted) Inverse(a, y float64) (lo, hi float64) { return y + math.Asinh(a), y + math.Asinh(a) }
func (inverted) Straight() bool                        { return false }

// stairs has three corners, at y-1, y and y+2, where its slope rises from -2 to -1, 1 and 5.
type stairs struct{}

var (
	stairCorners = []float64{-1, 0, 2}
	stairSlopes  = []float64{-2, -1, 1, 5}
)

func (stairs) Value(p, y float64) float64 {
	r := p - y
	return max(-1-2*(r+1)+2, -r, r, 2+5*(r-2))
}

func (stairs) Derivative(p, y float64) float64 {
	k := 0
	for k < len(stairCorners) && p-y > stairCorners[k] {
		k++
	}
	if k < len(stairCorners) && p-y == stairCorners[k] { // the end nearer to zero
		if k == 1 {
			return 0
		}
		if math.Abs(stairSlopes[k+1]) < math.Abs(stairSlopes[k]) {
			return stairSlopes[k+1]
		}
	}
	return stairSlopes[k]
}

func (stairs) Conjugate(a, y float64) float64 {
	best := math.Inf(-1)
	for _, r := range stairCorners {
		best = max(best, a*r-stairs{}.Value(r, 0))
	}
	return a*y + best
}

func (stairs) Domain(float64) (lo, hi float64) { return -2, 5 }
func (stairs) Smoothness() float64             { return math.Inf(1) }

func (stairs) Prox(v, step, y float64) float64 {
	r := v - y
	for k, slope := range stairSlopes {
		u := r - step*slope
		if k < len(stairCorners) && u > stairCorners[k] {
			if low := r - step*stairSlopes[k+1]; low < stairCorners[k] {
				return y + stairCorners[k]
			}
			continue
		}
		return y + u
	}
	return v
}

func TestUndeclaredIsSound(t *testing.T) {
	for _, l := range []loss.Loss{stairs{}} {
		if err := Loss(l); err != nil {
			t.Errorf("%T: %v", l, err)
		}
	}
	for _, p := range []penalty.Penalty{groups{0.5}, groups{1}, strongGroups{groups{0.5}}} {
		if err := Penalty(p); err != nil {
			t.Errorf("%T: %v", p, err)
		}
	}
}

// minimum is the objective that a slow primal-dual method comes to, which knows proximal
// maps alone (Chambolle and Pock 2011): with K the rows,
//
//	a <- prox of the conjugates at a + t K z,  w <- prox of the penalty at w - t K^T a,  z = 2 w - w before
func minimum(p *problem.Linear, solution []float64) float64 {
	n, d := p.Dims()
	w, before, z, a := make([]float64, d+1), make([]float64, d+1), make([]float64, d+1), make([]float64, n)
	t, size := 0.0, 0.0
	for i := range n {
		size += p.SquaredNorm[i]
	}
	t = 1 / math.Sqrt(size)
	best := math.Inf(1)
	r := make([]float64, n)
	for k := range 6000 {
		p.Predict(r, z)
		for i, y := range p.Y {
			v, c := a[i]+t*r[i], p.S[i]/p.N // Moreau: the prox of (c l)* is v - t prox_{c/t l}(v/t)
			a[i] = v - t*p.Loss.Prox(v/t, c/t, y)
		}
		copy(before, w)
		g, _ := p.Combine(a)
		for j := range d {
			w[j] -= t * g[j]
		}
		p.Penalty.Prox(w[:d], w[:d], t*p.Lambda)
		for j := range d {
			z[j] = 2*w[j] - before[j]
		}
		if k%100 == 99 {
			value, _ := p.Primal(w)
			if value < best {
				best = value
				copy(solution, w)
			}
		}
	}
	return best
}

// undeclared is a problem of a loss or a penalty that few solvers know.
type undeclared struct {
	loss    loss.Loss
	penalty penalty.Penalty
	wrong   bool // what it declares is wrong: a solver may accept it, and must not prove a wrong minimum
}

// TestUndeclared: a loss or penalty of a shape that a solver does not know is refused in one line,
// or its certified minimum is right. Newton's method once took groups of weights for l2.
func TestUndeclared(t *testing.T) {
	ridge := penalty.L2{}
	taken := map[string]int{}
	problems := []undeclared{
		{loss.Squared{}, groups{0.5}, false}, {loss.Squared{}, groups{1}, false}, {loss.Squared{}, strongGroups{groups{0.5}}, false},
		{loss.Absolute{}, strongGroups{groups{0.5}}, false}, {loss.Hinge{}, groups{0.5}, false}, {loss.Logistic{}, strongGroups{groups{0.9}}, false},
		{catenary{}, ridge, false}, {inverted{}, ridge, false}, {catenary{}, penalty.ElasticNet{Ratio: 0.5}, false}, {catenary{}, penalty.L1{}, false},
		{stairs{}, ridge, false}, {stairs{}, penalty.ElasticNet{Ratio: 0.5}, false}, {stairs{}, penalty.L1{}, false}, {stairs{}, groups{0.5}, false},
		{loss.Squared{}, elasticGroups{groups: groups{0.5}}, true}, {loss.Hinge{}, elasticGroups{groups: groups{0.9}}, true},
		{loss.Absolute{}, separableGroups{groups{0.5}}, true},
	}
	for _, e := range penalty.Entries() { // of the registry, those of a form that not all solvers know
		p, err := penalty.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := penalty.Coefficients(p); !ok {
			problems = append(problems, undeclared{loss.Squared{}, p, false}, undeclared{loss.Absolute{}, p, false}, undeclared{loss.Logistic{}, p, false})
		}
	}
	for _, c := range problems {
		p := specimen(c.loss, c.penalty, problem.None, 0.1)
		want := minimum(p, nil)
		for _, e := range linear.Entries() {
			s, err := linear.New(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			if judged(t, s, p, e.Name, p, want, c.wrong) {
				taken[e.Name]++
			}
		}
		if c.penalty != penalty.Penalty(ridge) {
			continue
		}
		gram, err := gram.NewGram(kernel.Linear{}, p.X, gram.Options{Double: true})
		if err != nil {
			t.Fatal(err)
		}
		machine, err := problem.NewKernel(gram, p.Y, nil, c.loss, p.Lambda, problem.None)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range kernelsolver.Entries() {
			s, err := kernelsolver.New(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			if judged(t, s, machine, "kernel "+e.Name, p, want, c.wrong) {
				taken["kernel "+e.Name]++
			}
		}
	}
	t.Logf("problems solved: %v", taken)
}

// TestUndeclaredCertificate: what is proved of groups of weights is below the minimum, however
// near the point is.
func TestUndeclaredCertificate(t *testing.T) {
	for _, g := range []groups{{0.5}, {1}} {
		p := specimen(loss.Squared{}, g, problem.None, 0.1)
		n, d := p.Dims()
		w := make([]float64, d+1)
		want := minimum(p, w)
		a := make([]float64, n)
		p.Predict(a, w)
		for i, y := range p.Y {
			a[i] = p.Loss.Derivative(a[i], y)
		}
		if err := Certificate(p, want, problem.Point{W: w, A: a}); err != nil {
			t.Errorf("%v: %v", g, err)
		}
	}
}

// judged reports whether s accepts p; it is then an error unless s proves the minimum.
func judged(t *testing.T, s solver.Solver, p problem.Problem, name string, of *problem.Linear, want float64, wrong bool) bool {
	if err := s.Accepts(p); err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s refuses %T and %T in several lines: %v", name, of.Loss, of.Penalty, err)
		}
		return false
	}
	epochs := 20000
	if wrong {
		epochs = 500
	}
	gap := 0.02
	if slices.Contains([]string{"exponentiated", "adagrad", "rmsprop", "adam"}, name) {
		gap = 0.2 // of these no rate, or a slow one, is proved
	}
	sol, err := solver.Run(context.Background(), s, p, solver.Options{Gap: gap, Epochs: epochs})
	switch {
	case wrong && (err != nil || sol.Status != solver.Converged):
	case err != nil:
		t.Errorf("%s: %T and %T: %v", name, of.Loss, of.Penalty, err)
	case sol.Status != solver.Converged:
		t.Errorf("%s: %T and %T: %s at the gap %g, expected it solved or refused", name, of.Loss, of.Penalty, sol.Status, sol.Certificate.Relative())
	case sol.Certificate.Dual > want*(1+1e-6) || sol.Certificate.Primal < want*(1-1e-3) || sol.Certificate.Primal > want*(1.01+gap):
		t.Errorf("%s: %T and %T: found a minimum in [%g, %g], expected %g", name, of.Loss, of.Penalty, sol.Certificate.Dual, sol.Certificate.Primal, want)
	}
	return true
}
