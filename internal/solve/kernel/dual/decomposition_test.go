package dual

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// T6: sets of ten rows, solved by projected gradients, have the optimum of SMO within 1e-6, with
// any bias; sets of two have it too.
func TestDecompositionByGradient(t *testing.T) {
	t.Parallel()
	for seed := range uint64(kerneltest.Thorough(60, 20)) {
		p := activeProblem(t, seed)
		want := kerneltest.Run(t, SMO{"second"}, p, solver.Options{Gap: 1e-8, Epochs: 100000})
		for _, q := range []int{2, 10} {
			got := kerneltest.Run(t, Decomposition{Q: q, Inner: "gradient"}, p, solver.Options{Gap: 1e-7, Epochs: 200000})
			if a, b := got.Certificate.Primal, want.Certificate.Primal; a > b+1e-6*max(b, 1e-3) || want.Status == solver.Converged && b > a+1e-6*max(b, 1e-3) {
				t.Errorf("seed %d, q = %d, %T, bias %v: objective %.12g (%s), by SMO %.12g (%s)", seed, q, p.Loss, p.Bias, a, got.Status, b, want.Status)
			}
		}
	}
}

// A set is solved by projected gradients as by pairs: no step climbs, bounds hold exactly, and the
// sum of the coefficients stays.
func TestGradientSteps(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		x, y := kerneltest.Toy(100)
		p := kerneltest.Regularised(bias)(t, kerneltest.GramOf(t, x, 1), y).(*problem.Kernel)
		s := Decomposition{Q: 20, Inner: "gradient"}.Start(p, solver.Start{}).(*working)
		last := math.Inf(1)
		for range 50 {
			s.Epoch()
			value := 0.0
			for i, b := range s.Beta {
				value += b * (s.R[i]/2 - y[i])
				if b < s.Lo[i] || b > s.Hi[i] {
					t.Fatalf("%v: coefficient %g outside of [%g, %g]", bias, b, s.Lo[i], s.Hi[i])
				}
			}
			if value > last+1e-6*math.Abs(last) {
				t.Fatalf("%v: the objective rises from %g to %g", bias, last, value)
			}
			last = value
			if sum := vec.Total(s.Beta); bias == problem.Free && math.Abs(sum) > 1e-10 {
				t.Fatalf("the coefficients add up to %g", sum)
			}
		}
	}
}

// K14: with rows left out the optimum is the same, rows are left out indeed, and what is certified
// are all rows.
func TestShrinking(t *testing.T) {
	t.Parallel()
	x, y := kerneltest.Toy(kerneltest.Thorough(1500, 1000))
	for _, inner := range []string{"pairs", "gradient"} {
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			gram, err := gram.NewGram(kernel.RBF{Gamma: 1}, x, gram.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.NewKernel(gram, y, nil, loss.Hinge{}, 1/float64(len(y)), bias)
			if err != nil {
				t.Fatal(err)
			}
			before := gram.Counts().Computed
			on := kerneltest.Run(t, Decomposition{Q: 10, Inner: inner, Shrinking: true}, p, solver.Options{Gap: 1e-6})
			between := gram.Counts().Computed
			off := kerneltest.Run(t, Decomposition{Q: 10, Inner: inner}, p, solver.Options{Gap: 1e-6})
			a, b := on.Certificate, off.Certificate
			if on.Status != solver.Converged || math.Abs(a.Primal-b.Primal) > 1e-6*b.Primal || a.Dual > b.Primal {
				t.Errorf("%s, %v: objective %.9g (%s), without shrinking %.9g", inner, bias, a.Primal, on.Status, b.Primal)
			}
			t.Logf("%s, %v: %d epochs and %d values, without %d and %d", inner, bias, on.Epochs, between-before, off.Epochs, gram.Counts().Computed-between)
			s := Decomposition{Q: 10, Inner: inner, Shrinking: true}.Start(p, solver.Start{}).(*shrinking)
			for range on.Epochs {
				if s.Epoch(); s.left > 0 && s.part != nil {
					break
				}
			}
			if s.part == nil {
				t.Errorf("%s, %v: no row was left out in %d rounds", inner, bias, on.Epochs)
				continue
			}
			for range 20 {
				s.part.Epoch()
			}
			r := append([]float64(nil), s.part.R...)
			s.part.respond(s.part.p)
			for k := range r {
				if math.Abs(r[k]-s.part.R[k]) > 1e-4 {
					t.Fatalf("%s, %v: response %g, computed anew %g", inner, bias, r[k], s.part.R[k])
				}
			}
		}
	}
}
