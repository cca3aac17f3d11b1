package problem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	kernelnu "github.com/fenchel-ml/fenchel/internal/solve/kernel/nu"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// nuProblems are the three problems of random rows, with weights or without.
func nuProblems(r *rand.Rand, n, d int, nu float64, k kernel.Kernel) []*problem.Nu {
	q := random(r, loss.Hinge{}, "l2", problem.Free, n, d)
	q.y[0], q.y[1] = 1, -1
	gram := must(gram.NewGram(k, q.problem(false).X, gram.Options{Threads: 1}))
	targets := make([]float64, n)
	for i := range targets {
		targets[i] = 2 + r.NormFloat64()
	}
	all := []*problem.Nu{must(problem.NewOneClass(gram, q.s, nu)), must(problem.NewNuRegression(gram, targets, q.s, nu, 0.3))}
	if c, err := problem.NewNuClassification(gram, q.y, q.s, nu); err == nil {
		all = append(all, c)
	}
	return all
}

// nuObjective is P(beta,b) by the formulas, with the rho or epsilon given.
func nuObjective(p *problem.Nu, y, w []float64, level float64) float64 {
	n := p.Len()
	sum, squared := 0.0, 0.0
	for i := range n {
		f := 0.0
		for j := range n {
			f += w[j] * p.Kernel.Eval(p.X.Row(i), p.X.Row(j))
		}
		squared += w[i] * f
		switch {
		case p.OneClass():
			sum += p.S[i] / (p.Nu * p.N) * max(0, -w[n]-f)
		case p.Tube():
			sum += p.S[i] / p.N * max(0, math.Abs(p.Targets[i]-f-w[n])+level)
		default:
			sum += p.S[i] / p.N * max(0, level-y[i]*(f+w[n]))
		}
	}
	if p.OneClass() {
		return squared/2 + w[n] + sum
	}
	return p.Lambda*squared/2 - p.Nu*level + sum
}

// TestNuCertificate examines the certificates at the solutions and at points far
// from any.
func TestNuCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 21))
	for _, shape := range [][2]int{{2, 1}, {5, 1}, {9, 3}} {
		for _, nu := range []float64{0.2, 0.5, 1} {
			for _, k := range []kernel.Kernel{kernel.RBF{Gamma: 0.5}, kernel.Linear{}} {
				for _, p := range nuProblems(r, shape[0], shape[1], nu, k) {
					sol := must(solver.Run(context.Background(), kernelnu.Nu{}, p, solver.Options{Gap: 1e-9, Epochs: 100}))
					if sol.Certificate.Gap() > 1e-9*math.Abs(p.Zero()) {
						t.Errorf("n %d, nu %v, %+v: gap %v", shape[0], nu, k, sol.Certificate)
					}
					if err := conform.Certificate(p, sol.Certificate.Primal, sol.Point); err != nil {
						t.Errorf("n %d, nu %v, %+v, one class %v, tube %v:\n%v", shape[0], nu, k, p.OneClass(), p.Tube(), err)
					}
				}
			}
		}
	}
}

// TestNuPrimal: the objective is that of the formulas, no other level or bias is
// better than the best, and no dual of any point is above it.
func TestNuPrimal(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 22))
	for range 30 {
		for _, p := range nuProblems(r, 8, 2, 0.1+0.5*r.Float64(), kernel.RBF{Gamma: 0.5}) {
			n := p.Len()
			y := make([]float64, n)
			for i := range y {
				y[i] = 1
				if p.Sides[1].Cap[i] > 0 {
					y[i] = -1
				}
			}
			w, a, f := make([]float64, n+1), make([]float64, n), make([]float64, n)
			for j := range a {
				w[j], a[j] = r.NormFloat64(), 3*r.NormFloat64()
			}
			p.Combine(f, w[:n])
			w[n] = p.Bias(f)
			level := p.Level(f, w[n])
			best := p.Certify(problem.Point{W: w, A: a})
			if want := nuObjective(p, y, w, level); !(math.Abs(best.Primal-want) <= 1e-12*(1+math.Abs(want))) {
				t.Errorf("P = %v, by the formula %v", best.Primal, want)
			}
			if !(best.Dual <= best.Primal) || math.IsInf(best.Dual, -1) {
				t.Errorf("dual %v, primal %v", best.Dual, best.Primal)
			}
			for range 20 {
				move := 0.3 * r.NormFloat64()
				if other := nuObjective(p, y, w, level+move); other < best.Primal-1e-12 {
					t.Errorf("one class %v, tube %v: %v at the level %v, %v at %v", p.OneClass(), p.Tube(), best.Primal, level, other, level+move)
				}
				moved := append([]float64(nil), w...)
				moved[n] += move
				if other := p.Certify(problem.Point{W: moved}).Primal; other < best.Primal-1e-12 {
					t.Errorf("one class %v, tube %v: %v at the bias %v, %v at %v", p.OneClass(), p.Tube(), best.Primal, w[n], other, moved[n])
				}
			}
		}
	}
}

// TestNuRefuses names what makes no problem.
func TestNuRefuses(t *testing.T) {
	gram := must(gram.NewGram(kernel.Linear{}, small{x: [][]float32{{1}, {2}, {3}, {4}}, y: make([]float64, 4), loss: loss.Squared{}, penalty: "l2", lambda: 1}.problem(false).X, gram.Options{}))
	y := []float64{1, 1, 1, -1}
	check := func(_ *problem.Nu, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
	for _, nu := range []float64{0, -1, 1.1, math.NaN()} {
		p, err := problem.NewOneClass(gram, nil, nu)
		check(p, err, "at most 1")
	}
	p, err := problem.NewNuClassification(gram, y, nil, 0.6)
	check(p, err, "expected at most 0.5")
	p, err = problem.NewNuClassification(gram, []float64{1, 2, 1, 1}, nil, 0.5)
	check(p, err, "row 2: target 2")
	p, err = problem.NewNuClassification(gram, y[:3], nil, 0.5)
	check(p, err, "found 3 targets")
	p, err = problem.NewNuRegression(gram, y, []float64{1, 0, 1, 1}, 0.5, 1)
	check(p, err, "row 2: weight 0")
	p, err = problem.NewNuRegression(gram, y, nil, 0.5, 0)
	check(p, err, "lambda=0")
	if _, err := problem.NewNuClassification(gram, y, nil, 0.5); err != nil {
		t.Error(err)
	}
}

// TestNuWithoutErrorBound: where a kernel is so steep that the bound on its error
// overflows, and no coefficient makes use of it, no loss is left out.
func TestNuWithoutErrorBound(t *testing.T) {
	x := must(matrix.NewDense(2, 1, []float32{1e30, 2e30}))
	gram := must(gram.NewGram(kernel.Laplacian{Gamma: 1e308}, x, gram.Options{}))
	p := must(problem.NewNuRegression(gram, []float64{0, 2}, nil, 0.9, 1))
	if c := p.Certify(problem.Point{W: make([]float64, 3), A: make([]float64, 2)}); c.Primal != 1 || c.Dual > 0.9 {
		t.Errorf("found the objective %g and the bound %g, expected the mean of |y|, 1, and no bound above the optimum", c.Primal, c.Dual)
	}
}

// TestNuAtCaps: where all parts that count are at their caps, and these add up to the mass
// but for rounding, no other row gets a coefficient.
func TestNuAtCaps(t *testing.T) {
	for n := 20; n < 300; n += 7 {
		x := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}
		y := make([]float64, n)
		for i := range n {
			x.Value[i], y[i] = float32(i), float64(1-2*(i%2))
		}
		gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= 6; k++ {
			p, err := problem.NewNuClassification(gram, y, nil, float64(2*k)/float64(n))
			if err != nil {
				t.Fatal(err)
			}
			a, w := make([]float64, n), make([]float64, n+1)
			for i := range 2 * k {
				a[i] = -y[i]
			}
			p.Weights(w, a)
			for i, b := range w[:n] {
				if (b != 0) != (i < 2*k) {
					t.Fatalf("%d rows, nu of %d: row %d has the coefficient %g", n, 2*k, i+1, b)
				}
			}
		}
	}
}
