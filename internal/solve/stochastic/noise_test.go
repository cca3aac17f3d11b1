package stochastic

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestConstantSteps: steps 1/L on batches that grow by 1/zeta a step have errors below C rho^(k-1) of Theorem
// 4.8, and come down geometrically; with batches of one size they are below the bound with a floor, and
// stay there. Rows of norm 1 and slopes of at most 1 have a variance of at most 1.
func TestConstantSteps(t *testing.T) {
	rows, y := unitRows(4000, 10, 27)
	const lambda, seeds = 0.05, 20
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, lambda, problem.None)
	optimum := best(p)
	const smoothness = 0.25 + lambda // the step is its reciprocal
	start, rho := p.Zero()-optimum, 1-lambda/(2*smoothness)
	mean := func(spec string) (far [80]float64) {
		for seed := range uint64(seeds) {
			s := must(solver.Linear.New(spec)).Start(p, solver.Start{Seed: seed}).(*state)
			w := make([]float64, 11)
			for k := range far {
				s.Weights(w)
				value, _ := p.Primal(w)
				far[k] += (value - optimum) / seeds
				s.Steps(1)
			}
		}
		return far
	}
	const base = "stochastic:step=constant,gamma=3.3333333333333335,output=last"
	grown, fixed := mean(base+",growth=1.09090909090909"), mean(base)
	vanishing := max(1/smoothness/(2*(rho+lambda/smoothness-1)), start)
	floor := 1 / (2 * lambda)
	for k := range grown {
		if bound := vanishing * math.Pow(rho, float64(k)); grown[k] > bound*(1+1e-9) {
			t.Fatalf("step %d: %g above the optimum on growing batches, bound %g", k, grown[k], bound)
		}
		if bound := floor + math.Pow(1-lambda/smoothness, float64(k))*(start-floor); fixed[k] > bound*(1+1e-9) {
			t.Fatalf("step %d: %g above the optimum on single rows, bound %g", k, fixed[k], bound)
		}
	}
	rate := math.Pow(grown[79]/grown[19], 1./60)
	t.Logf("rate %.3g a step, theory %.3g; floor %.3g of single rows, theory %.3g", rate, rho, fixed[79], floor)
	if rate > rho+0.02 || fixed[79] < fixed[39]/3 {
		t.Errorf("rate %g of growing batches, theory %g; single rows %g after 40 steps, %g after 80", rate, rho, fixed[39], fixed[79])
	}
}

// TestSAGStops: where the estimate of SAG ends a run, the certificate confirms it: the gap it proves is
// what was asked for, and within a factor of 100 (10 for the gradient, squared) of the estimate.
func TestSAGStops(t *testing.T) {
	rows, y := unitRows(2000, 20, 3)
	p := linear(rows, y, loss.Logistic{}, penalty.L2{}, 1./2000, problem.None)
	for _, gap := range []float64{1e-3, 1e-6, 1e-9} {
		sol := must(solver.Run(context.Background(), must(solver.Linear.New("sag")), p, solver.Options{Gap: gap, Epochs: 100, Seed: 1}))
		s := must(solver.Linear.New("sag")).Start(p, solver.Start{Seed: 1}).(*state)
		for range sol.Epochs {
			s.Epoch()
		}
		proved := sol.Certificate.Relative()
		estimate := s.Report().Gap * p.Zero() / sol.Certificate.Primal
		t.Logf("asked %g: %d epochs, proved %.2g, estimated %.2g", gap, sol.Epochs, proved, estimate)
		if sol.Status != solver.Converged || proved > gap || estimate > 100*proved || proved > 100*estimate {
			t.Errorf("asked %g: %s, proved %g, estimated %g", gap, sol.Status, proved, estimate)
		}
	}
}
