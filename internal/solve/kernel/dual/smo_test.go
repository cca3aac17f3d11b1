package dual

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// board is a chequered square of 4 by 4 fields with one label in twenty wrong.
func board(t *testing.T, n int, c, gamma float64) *problem.Kernel {
	t.Helper()
	random := rand.New(rand.NewPCG(8, 8))
	x, y := &matrix.Dense{Rows: n, Cols: 2}, make([]float64, n)
	for i := range n {
		a, b := 4*random.Float64(), 4*random.Float64()
		x.Value = append(x.Value, float32(a), float32(b))
		if y[i] = float64(1 - 2*((int(a)+int(b))%2)); random.Float64() < 0.05 {
			y[i] = -y[i]
		}
	}
	gram, err := gram.NewGram(kernel.RBF{Gamma: gamma}, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 1/(c*float64(n)), problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// objective is -D/lambda, from the definition.
func (d *Dual) objective() (value float64) {
	for i, b := range d.Beta {
		value += b*d.R[i]/2 + d.C[i]*d.loss.Conjugate(-b/d.C[i], d.y[i])
	}
	return value
}

// TestSelections counts steps to a violation of 1e-3 on the chequered square. The
// counts expected are those of an independent program on other random numbers,
// within a factor of two; all selections end at one value; the sum of the
// coefficients is zero and the bounds hold at every step; and the second-order
// rules need a third of the steps of the first where C is large (K11, T5).
func TestSelections(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		c, gamma float64
		want     map[string]int
	}{
		{1, 0.5, map[string]int{"first": 640, "second": 269, "hybrid": 333}},
		{100, 0.5, map[string]int{"first": 35509, "second": 5459, "hybrid": 5090}},
	} {
		p := board(t, 400, c.c, c.gamma)
		steps, values := map[string]int{}, map[string]float64{}
		for selection, want := range c.want {
			if testing.Short() && want > 10000 {
				continue
			}
			s := SMO{selection}.Start(p, solver.Start{}).(*smo)
			n := 0
			for ; s.violation() > 1e-3 && n < 4*want; n++ {
				if !s.advance() {
					t.Fatalf("%s: no step at violation %g", selection, s.violation())
				}
				if n%kerneltest.Thorough(1, 32) != 0 {
					continue
				}
				sum := 0.0
				for i, b := range s.Beta {
					if sum += b; b < s.Lo[i] || b > s.Hi[i] {
						t.Fatalf("%s: coefficient %g outside [%g, %g]", selection, b, s.Lo[i], s.Hi[i])
					}
				}
				if math.Abs(sum) > 1e-10 {
					t.Fatalf("%s: the coefficients add up to %g", selection, sum)
				}
			}
			if steps[selection], values[selection] = n, s.objective(); n < want/2 || n > 2*want {
				t.Errorf("C=%g %s: %d steps, expected about %d", c.c, selection, n, want)
			}
		}
		for selection, value := range values {
			if math.Abs(value-values["second"]) > 1e-6*math.Abs(value) {
				t.Errorf("C=%g %s: %.9g, expected %.9g", c.c, selection, value, values["second"])
			}
			if c.c == 100 && steps["first"] > 0 && selection != "first" && 3*steps[selection] > steps["first"] {
				t.Errorf("%s takes %d steps, first %d", selection, steps[selection], steps["first"])
			}
		}
	}
}

// TestGain: what a step gains is what its formula says, and no other row would
// have gained more (T4); a step that meets no bound ends where the slope is zero.
func TestGain(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := kerneltest.Chequered(t, 40, loss.Hinge{}, bias, 2, gram.Options{})
		s := SMO{"gain"}.Start(p, solver.Start{}).(*smo)
		for range 100 {
			before, most := s.objective(), 0.0
			if bias == problem.Free {
				if i, j := s.bestPair(); i >= 0 {
					s.fetch(0, i)
					most = s.gain(i, j, s.rows[0][j])
				}
			} else {
				for i := range s.R {
					most = max(most, s.gain(i, -1, 0), s.gain(-1, i, 0))
				}
			}
			if !s.advance() {
				break
			}
			if got := before - s.objective(); math.Abs(got-most) > 1e-12*math.Abs(before)+1e-12 {
				t.Fatalf("bias %v: a step gains %g, expected %g", bias, got, most)
			}
		}
	}
}

// TestPairsAreDecomposition: with sets of two rows decomposition takes the steps
// of the maximal violating pair (K12).
func TestPairsAreDecomposition(t *testing.T) {
	p := board(t, 100, 10, 0.5)
	a, b := SMO{"first"}.Start(p, solver.Start{}).(*smo), newWorking(p, 2, 1e-3, nil, nil)
	for step := range 300 {
		a.advance()
		b.Epoch()
		for i := range a.Beta {
			if math.Abs(a.Beta[i]-b.Beta[i]) > 1e-9 {
				t.Fatalf("step %d: coefficient %d is %g, expected %g", step, i, b.Beta[i], a.Beta[i])
			}
		}
	}
}

// K12: decomposition with q = 2 takes the steps of SMO, and asks for the values of the kernel that it
// asks for, with any bias and either inner method.
func TestDecompositionOfPairs(t *testing.T) {
	x, y := kerneltest.Toy(300)
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		run := func(s solver.Solver) (*solver.Solution, gram.Counts) {
			k := kerneltest.GramOf(t, x, 1)
			p := kerneltest.Regularised(bias)(t, k, y)
			return kerneltest.Run(t, s, p, solver.Options{Gap: 1e-6}), k.Counts()
		}
		want, values := run(SMO{"first"})
		for _, inner := range []string{"pairs", "gradient"} {
			got, asked := run(Decomposition{Q: 2, Inner: inner})
			if got.Status != solver.Converged || got.Certificate.Primal != want.Certificate.Primal || got.Epochs != want.Epochs || asked != values {
				t.Errorf("%v, %s: %s, objective %v after %d epochs and %+v, by SMO %v after %d and %+v", bias, inner, got.Status, got.Certificate.Primal, got.Epochs, asked, want.Certificate.Primal, want.Epochs, values)
			}
		}
	}
}

// TestIndefinite: a kernel that is no inner product ends soon, with a warning that
// names the curvature.
func TestIndefinite(t *testing.T) {
	x, y := kerneltest.Toy(80)
	k, err := kernel.New("sigmoid:gamma=2,coef0=-1")
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(k, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, bias := range []problem.Bias{problem.Free, problem.None} {
		p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 1.0/80, bias)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []solver.Solver{SMO{"second"}, Working{}, Working{Q: 8}, Decomposition{Q: 10}} {
			sol := kerneltest.Run(t, s, p, solver.Options{})
			text := ""
			for _, w := range sol.Certificate.Warnings {
				text += w.Error()
			}
			if sol.Status != solver.Stalled || sol.Epochs > 500 || !strings.Contains(text, "most negative curvature met is -") {
				t.Errorf("%T bias %v: %s after %d epochs, warnings %q", s, bias, sol.Status, sol.Epochs, text)
			}
		}
	}
}

// TestUnprovedEnds: where nothing is proved there is no gap to stop at. A run ends as
// LIBSVM's does, at a violation of 1e-3, also if no pair has a negative curvature, and
// judges few points, as a certificate costs as much without a bound as with.
func TestUnprovedEnds(t *testing.T) {
	const n = 300
	x, y := kerneltest.Toy(n)
	gram, err := gram.NewGram(kernel.Sigmoid{Gamma: 0.01}, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 1e-3/n, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []solver.Solver{SMO{"second"}, Working{}, Decomposition{Q: 10}} {
		looks := 0
		sol := kerneltest.Run(t, s, p, solver.Options{Trace: func(solver.Progress) { looks++ }})
		if sol.Status != solver.Stalled || looks > 8 {
			t.Errorf("%T: %s after %d epochs, %d points judged", s, sol.Status, sol.Epochs, looks)
		}
		state := s.Start(p, solver.Start{})
		for range sol.Epochs {
			state.Epoch()
		}
		if v := state.(interface{ violation() float64 }).violation(); !(v <= 1e-3) {
			t.Errorf("%T: the violation is %g, expected at most 1e-3", s, v)
		}
		if !slices.Equal(sol.Point.W, state.Point().W) {
			t.Errorf("%T: found another point than that where the run ended", s)
		}
	}
}

// hidden is a loss of which nobody knows an inverse.
type hidden struct{ loss.Loss }

// TestRefusal: a loss that cannot be inverted is refused.
func TestRefusal(t *testing.T) {
	p := kerneltest.Chequered(t, 20, hidden{loss.Squared{}}, problem.None, 1, gram.Options{})
	for _, s := range exact {
		if err := s.Accepts(p); err == nil || !strings.Contains(err.Error(), "slope can be inverted") {
			t.Errorf("%T: %v", s, err)
		}
	}
}

// TestWeights: a weight of two is the row twice.
func TestWeights(t *testing.T) {
	const n = 40
	p := kerneltest.Chequered(t, n, loss.EpsilonInsensitive{Epsilon: 0.2}, problem.Free, 3, gram.Options{})
	twice, y, weights := &matrix.Dense{Rows: n + n/2, Cols: 2}, p.Y, make([]float64, n)
	for i := range n {
		weights[i] = 1
		twice.Value = append(twice.Value, p.X.Row(i).Value...)
	}
	for i := range n / 2 {
		weights[i] = 2
		twice.Value = append(twice.Value, p.X.Row(i).Value...)
		y = append(y[:n+i:n+i], y[i])
	}
	gram, err := gram.NewGram(p.Kernel, twice, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one, err := problem.NewKernel(p.Gram, p.Y, weights, p.Loss, 0.01, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	two, err := problem.NewKernel(gram, y, nil, p.Loss, 0.01, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []solver.Solver{SMO{"second"}, Working{}, Working{Q: 8}} {
		a, b := kerneltest.Run(t, s, one, solver.Options{Gap: 1e-8}), kerneltest.Run(t, s, two, solver.Options{Gap: 1e-8})
		if got, want := a.Certificate.Primal, b.Certificate.Primal; math.Abs(got-want) > 3e-8*want {
			t.Errorf("%T: %.10g, expected %.10g", s, got, want)
		}
	}
}

// TestSelectionWithoutPairs: without a free bias one coefficient moves, and the rule says
// which; all come to the same optimum.
func TestSelectionWithoutPairs(t *testing.T) {
	x, y := kerneltest.Toy(60)
	weights := make([]float64, 60) // all rows violate by 1 at first, and gain by their weights
	for i := range weights {
		weights[i] = 1 - float64(i%5)/10
	}
	p, err := problem.NewKernel(kerneltest.GramOf(t, x, 1), y, weights, loss.Hinge{}, 0.02, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	first := map[string][]float64{}
	for _, rule := range []string{"first", "second", "gain"} {
		s := SMO{rule}.Start(p, solver.Start{Seed: 1}).(*smo)
		for range 20 { // fewer than all rows
			s.advance()
		}
		first[rule] = s.Beta
		sol, err := solver.Run(context.Background(), SMO{rule}, p, solver.Options{Gap: 1e-8})
		if err != nil || sol.Status != solver.Converged {
			t.Errorf("%s: %v, %v, expected converged", rule, sol, err)
		}
	}
	if slices.Equal(first["first"], first["gain"]) || !slices.Equal(first["second"], first["gain"]) {
		t.Error("found the steps of the largest gain with selection=first, or others with second")
	}
}
