package dual

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestEveryLossAndBias: the gap is proved, at the value that coordinate ascent
// finds where it can.
func TestEveryLossAndBias(t *testing.T) {
	for _, e := range loss.Entries() {
		l, err := loss.New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			p := kerneltest.Chequered(t, 80, l, bias, 1, gram.Options{})
			want := math.NaN()
			if (engine.SDCA{}).Accepts(p) == nil {
				want = kerneltest.Run(t, engine.SDCA{}, p, solver.Options{Gap: 1e-8}).Certificate.Primal
			}
			for _, s := range []solver.Solver{SMO{"second"}, Working{}, Working{Q: 10}} {
				if s.Accepts(p) != nil {
					continue
				}
				sol := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-7})
				if got := sol.Certificate.Primal; sol.Status != solver.Converged || math.Abs(got-want) > 2e-7*want {
					t.Errorf("%s, bias %v, %T%+v: %s after %d epochs at %.12g with gap %.3g, expected %.12g",
						e.Name, bias, s, s, sol.Status, sol.Epochs, got, sol.Certificate.Relative(), want)
				}
			}
		}
	}
}

// TestSameBits: neither threads nor the size of the cache change a bit; a cache
// of two rows is enough.
func TestSameBits(t *testing.T) {
	t.Parallel()
	for _, s := range []solver.Solver{SMO{"second"}, SMO{"hybrid"}, Working{Q: 16}, Working{}} {
		for _, bias := range []problem.Bias{problem.Free, problem.Feature}[:kerneltest.Thorough(2, 1)] {
			if s == solver.Solver(SMO{"hybrid"}) && bias != problem.Free {
				continue // which it does not accept
			}
			var first *solver.Solution
			for _, opt := range []gram.Options{{Threads: 1}, {Threads: 2}, {Threads: 2, Cache: 2 * 8 * 704}} {
				sol := kerneltest.Run(t, s, kerneltest.Chequered(t, 600, loss.Hinge{}, bias, 10, opt), solver.Options{Gap: 1e-3})
				if first == nil {
					first = sol
				}
				if !slices.Equal(sol.Point.W, first.Point.W) || !slices.Equal(sol.Point.A, first.Point.A) || sol.Status != solver.Converged {
					t.Errorf("%T%+v, bias %v, %+v: other bits, or %s", s, s, bias, opt, sol.Status)
				}
			}
		}
	}
}

// TestWarmStart: a run that begins at the optimum needs no epoch, and one that
// begins at its dual variables alone no step.
func TestWarmStart(t *testing.T) {
	for _, s := range []solver.Solver{SMO{"second"}, Working{}} {
		for _, bias := range []problem.Bias{problem.Free, problem.None} {
			p := kerneltest.Chequered(t, 200, loss.Hinge{}, bias, 10, gram.Options{})
			first := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-6})
			for _, from := range []*problem.Point{&first.Point, {A: first.Point.A}} {
				if again := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-6, From: from}); again.Status != solver.Converged || again.Epochs != 0 {
					t.Errorf("%T bias %v: %s after %d epochs", s, bias, again.Status, again.Epochs)
				}
			}
		}
	}
}

// TestCutShort: a run that ends while only some rows are in play returns their
// predictor, which is better than none.
func TestCutShort(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		p := kerneltest.Chequered(t, 400, loss.Hinge{}, bias, 0.1, gram.Options{}) // few coefficients are free
		for _, epochs := range []int{3, 7} {
			sol := kerneltest.Run(t, Working{Q: 24}, p, solver.Options{Epochs: epochs, Gap: 1e-9})
			if c := sol.Certificate; sol.Status != solver.EpochLimit || !(c.Primal < c.Zero) {
				t.Errorf("bias %v: %s after %d epochs at %g, zero is %g", bias, sol.Status, sol.Epochs, c.Primal, c.Zero)
			}
		}
	}
}

// TestFarTargets: predictions may have to lie far from the targets of single
// rows, and dual variables as near to the end of their domain as numbers come.
func TestFarTargets(t *testing.T) {
	for _, scale := range []float64{1, 1e8} {
		for _, l := range []loss.Loss{loss.Squared{}, loss.SquaredEpsilonInsensitive{Epsilon: 0.1}} {
			for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
				p := kerneltest.Chequered(t, 60, l, bias, 1, gram.Options{})
				for i := range p.Y {
					p.Y[i] = scale * float64(i%4)
				}
				p, err := problem.NewKernel(p.Gram, p.Y, nil, l, p.Lambda, bias)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []solver.Solver{Working{}, SMO{"second"}} {
					if sol := kerneltest.Run(t, s, p, solver.Options{Epochs: 100}); sol.Status != solver.Converged {
						t.Errorf("%T %T bias %v, targets of size %g: %s, relative gap %.3g", s, l, bias, scale, sol.Status, sol.Certificate.Relative())
					}
				}
			}
		}
	}
	q := kerneltest.Chequered(t, 300, loss.Logistic{}, problem.Free, 1e3, gram.Options{})
	random, values := rand.New(rand.NewPCG(5, 5)), make([]float32, 5*300)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	for i := range q.Y {
		q.Y[i] = math.Copysign(1, float64(values[5*i])+0.3*random.NormFloat64())
	}
	gram, err := gram.NewGram(kernel.RBF{Gamma: 0.01}, &matrix.Dense{Rows: 300, Cols: 5, Value: values}, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, q.Y, nil, loss.Logistic{}, q.Lambda, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	if sol := kerneltest.Run(t, SMO{"second"}, p, solver.Options{Epochs: 1000}); sol.Status != solver.Converged {
		t.Errorf("logistic: %s, relative gap %.3g", sol.Status, sol.Certificate.Relative())
	}
}
