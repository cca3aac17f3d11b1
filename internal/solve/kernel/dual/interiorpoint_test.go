package dual

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// K17: 400 random problems, singular kernels, duplicates, one class, one row, weights and all
// kinds of bias among them, have the optimum that SMO finds, in at most 30 steps.
func TestInteriorPoint(t *testing.T) {
	most := 0
	for seed := range uint64(kerneltest.Nightly(400, 60)) {
		p := activeProblem(t, seed)
		if seed%7 == 6 { // two ramps, or one of some width
			l := []loss.Loss{loss.EpsilonInsensitive{Epsilon: 0.2}, loss.Huber{Delta: 0.5}}[seed%2]
			var err error
			if p, err = problem.NewKernel(p.Gram, p.Y, p.S, l, p.Lambda, p.Bias); err != nil {
				t.Fatal(err)
			}
		}
		got := kerneltest.Run(t, InteriorPoint{}, p, solver.Options{Gap: 1e-10, Epochs: 2000})
		want := kerneltest.Run(t, SMO{"second"}, p, solver.Options{Gap: 1e-8, Epochs: 100000})
		if a, b := got.Certificate.Primal, want.Certificate.Primal; a > b+1e-6*max(b, 1e-3) || want.Status == solver.Converged && b > a+1e-6*max(b, 1e-3) {
			t.Errorf("seed %d: objective %.12g (%s), by SMO %.12g (%s)", seed, a, got.Status, b, want.Status)
		}
		if c := got.Certificate; c.Gap() > 1e-8*math.Abs(c.Primal)+4*c.Rounding+1e-9*c.Zero {
			t.Errorf("seed %d: %T, %s after %d epochs, gap %g of %g", seed, p.Loss, got.Status, got.Epochs, c.Gap(), c.Primal)
		}
		s := InteriorPoint{}.Start(p, solver.Start{}).(*interiorPoint)
		for !s.done {
			s.Epoch()
		}
		if most = max(most, s.run.Steps); s.run.Steps > 30 {
			t.Logf("seed %d: %d steps, %T, %d rows", seed, s.run.Steps, p.Loss, p.Len())
		}
	}
	if most > 30 {
		t.Errorf("found a run of %d steps, expected 30 at most", most)
	}
}

// K21: the objective of a low rank comes near that of all rows as the rank grows, and what is
// proved is about the kernel itself.
func TestInteriorPointOfLowRank(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		x, y := kerneltest.Toy(300)
		p := kerneltest.Regularised(bias)(t, kerneltest.GramOf(t, x, 1), y).(*problem.Kernel)
		best := kerneltest.Run(t, InteriorPoint{}, p, solver.Options{Gap: 1e-9})
		last := math.Inf(1)
		for _, rank := range []int{5, 20, 80, 299} {
			got := kerneltest.Run(t, InteriorPoint{Rank: rank}, p, solver.Options{Gap: 1e-9, Epochs: 100}).Certificate
			if got.Dual > best.Certificate.Primal || got.Primal < best.Certificate.Dual {
				t.Errorf("%v, rank %d: bounds %g and %g around %g", bias, rank, got.Dual, got.Primal, best.Certificate.Primal)
			}
			if got.Gap() > last*1.5 {
				t.Errorf("%v, rank %d: gap %g after %g", bias, rank, got.Gap(), last)
			}
			last = got.Gap()
		}
		if last > 1e-5*best.Certificate.Primal {
			t.Errorf("%v: gap %g of %g with nearly all ranks", bias, last, best.Certificate.Primal)
		}
	}
}
