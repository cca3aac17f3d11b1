package stochastic

import (
	"context"
	"math"
	"testing"

	_ "github.com/fenchel-ml/fenchel/internal/solve/batch"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestProjected: on the ball, the mean of 20 runs is within 2 sqrt(2) R/sqrt(T) of the optimum for rows
// of norm 1 (Cotter 2013, 2.1), the gap at least halves with ten times the steps, and the averages are
// inside of the ball.
func TestProjected(t *testing.T) {
	rows, y := unitRows(1000, 20, 12)
	const radius = 3.0
	p := linear(rows, y, loss.Hinge{}, penalty.Ball{Norm: 2, Radius: radius}, 1, problem.None)
	sol := must(solver.Run(context.Background(), must(solver.Linear.New("admm")), p, solver.Options{Gap: 1e-5, Epochs: 5000}))
	optimum := sol.Certificate.Dual
	last := math.Inf(1)
	for _, steps := range []int{100, 1000, 10000} {
		mean := 0.0
		for seed := range uint64(20) {
			s := must(solver.Linear.New("projected-sgd")).Start(p, solver.Start{Seed: seed}).(*state)
			s.Steps(steps)
			w := s.Point().W
			size := 0.0
			for _, v := range w {
				size += v * v
			}
			value, _ := p.Primal(p.Inside(w))
			if mean += (value - optimum) / 20; math.Sqrt(size) > radius*(1+1e-12) {
				t.Errorf("norm %g after %d steps", math.Sqrt(size), steps)
			}
		}
		bound := 2 * math.Sqrt2 * radius / math.Sqrt(float64(steps))
		t.Logf("%d steps: %.4g above the bound from below, bound %.4g", steps, mean, bound)
		if !(mean <= bound && mean <= last/2) {
			t.Errorf("%d steps: %g above the optimum, bound %g, before %g", steps, mean, bound, last)
		}
		last = mean
	}
}

// TestProjectedProof: a run on the ball proves its gap, with each bias; without a ball it is refused.
func TestProjectedProof(t *testing.T) {
	rows, y := unitRows(500, 10, 13)
	s := must(solver.Linear.New("projected-sgd"))
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Squared{}} {
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			p := linear(rows, y, l, penalty.Ball{Norm: 2, Radius: 2}, 1, bias)
			sol := must(solver.Run(context.Background(), s, p, solver.Options{Gap: 2e-2, Epochs: 3000}))
			if sol.Status != solver.Converged {
				t.Errorf("%T, bias %v: %s, gap %g", l, bias, sol.Status, sol.Certificate.Relative())
			}
		}
	}
	const want = "solver projected-sgd needs a bound on the norm, 'radius' with the penalty l2: its steps are of the size of the ball"
	for _, q := range []penalty.Penalty{penalty.L2{}, penalty.L1{}, penalty.Ball{Norm: 1, Radius: 1}} {
		if err := s.Accepts(linear(rows, y, loss.Hinge{}, q, 1, problem.None)); err == nil || err.Error() != want {
			t.Errorf("%T: %v", q, err)
		}
	}
}
