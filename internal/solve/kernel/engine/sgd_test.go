package engine

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Averaged over runs the objective is 2 sqrt(2) R/sqrt(T) above the optimum at
// most, and comes nearer by half at least for ten times as many steps; the
// average stays in the ball (T1).
func TestSGD(t *testing.T) {
	p := kerneltest.Machine(t, 100, 1.0/100, problem.None)
	norm, best := p.Criteria(kerneltest.Optimum(t, p).Point.W)
	ball, err := problem.NewNormConstrained(p.Gram, p.Y, nil, loss.Hinge{}, norm, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	const runs = 20
	var above [3]float64
	for seed := range uint64(runs) {
		s := SGD{}.Start(ball, solver.Start{Seed: seed}).(*descent)
		for k := range 10000 {
			i, before := s.draws.next(), p.Counts().Requested
			violated := p.Y[i]*s.e.response(i) < 1
			s.step(i)
			if asked := p.Counts().Requested - before; asked != 0 && !violated || asked != 100 && violated {
				t.Fatalf("%d evaluations, a row is violated: %v", asked, violated)
			}
			for check, T := range [...]int{100, 1000, 10000} {
				if k+1 != T {
					continue
				}
				it := s.e.average()
				above[check] += (risk(&p.Risk, it.responses) - best) / runs
				if it.squared > norm*norm*(1+1e-12) {
					t.Fatalf("|w| is %v, expected %v at most", math.Sqrt(it.squared), norm)
				}
			}
		}
		if c := ball.Certify(s.Point()); c.Dual > best+1e-9 || c.Gap() > 0.1 {
			t.Errorf("primal %v, dual %v, optimum %v", c.Primal, c.Dual, best)
		}
	}
	for check, T := range [...]float64{100, 1000, 10000} {
		if above[check] > 2*math.Sqrt2*norm/math.Sqrt(T) || check > 0 && above[check] > above[check-1]/2 {
			t.Errorf("%v above the optimum after %g steps, before %v", above[check], T, above[max(0, check-1)])
		}
	}
}

// TestSGDSteps: steps have the length R sqrt(2/t)/(L sqrt(kappa)), whatever the scale that projections leave.
func TestSGDSteps(t *testing.T) {
	p := kerneltest.Machine(t, 100, 1.0/100, problem.None)
	ball, err := problem.NewNormConstrained(p.Gram, p.Y, nil, p.Loss, 0.5, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	s := SGD{}.Start(ball, solver.Start{Seed: 1}).(*descent)
	twin := newEngine(p.Gram, 0, nil, false)
	for k := range 500 {
		i := s.draws.next()
		if g := p.Loss.Derivative(twin.response(i), p.Y[i]); g != 0 { // kappa and L are 1
			twin.add(i, -0.5*math.Sqrt(2/float64(k+1))*g)
			twin.project(0.5)
		}
		s.step(i)
	}
	for j, w := range twin.last().w {
		if got := s.e.last().w[j]; math.Abs(got-w) > 1e-9 {
			t.Fatalf("coefficient %d is %g, expected %g", j, got, w)
		}
	}
}
