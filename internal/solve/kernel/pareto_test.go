package kernel

import (
	"context"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Sweeps of lambda, of R and of nu by three solvers lie on one curve, decreasing
// and convex, within a hundredth (F8).
func TestPareto(t *testing.T) {
	t.Parallel()
	p := kerneltest.Machine(t, 60, 1, problem.None)
	var byLambda, byRadius, byNu []problem.BiCriterion
	for _, lambda := range []float64{0.3, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.01}[:kerneltest.Thorough(10, 4)] {
		q := *p
		q.Lambda = lambda
		byLambda = append(byLambda, &q)
	}
	ctx := context.Background()
	exact, err := Pareto(ctx, engine.SDCA{}, solver.Options{Gap: 1e-8}, byLambda...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range exact {
		r, err := problem.NewNormConstrained(p.Gram, p.Y, nil, loss.Hinge{}, c.Norm, problem.None)
		if err != nil {
			t.Fatal(err)
		}
		s, err := problem.NewSlack(p.Gram, p.Y, c.Loss/c.Norm, problem.None)
		if err != nil {
			t.Fatal(err)
		}
		byRadius, byNu = append(byRadius, r), append(byNu, s)
	}
	radii, err := Pareto(ctx, engine.SGD{}, solver.Options{Gap: 1e-9, Epochs: 500}, byRadius...)
	if err != nil {
		t.Fatal(err)
	}
	nus, err := Pareto(ctx, engine.SBP{Batch: 4}, solver.Options{Gap: 1e-9, Epochs: 500}, byNu...)
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range exact {
		for by, x := range map[string]Tradeoff{"R": radii[k], "nu": nus[k]} {
			if want := lossAt(exact, x.Norm); math.Abs(x.Loss-want) > 0.01*want {
				t.Errorf("by %s: norm %v with loss %v, expected %v", by, x.Norm, x.Loss, want)
			}
		}
		if k == 0 {
			continue
		}
		b := exact[k-1]
		if slope := (c.Loss - b.Loss) / (c.Norm - b.Norm); c.Norm <= b.Norm || slope >= 0 {
			t.Errorf("from norm %v to %v the loss changes from %v to %v", b.Norm, c.Norm, b.Loss, c.Loss)
		}
		if k > 1 {
			a := exact[k-2]
			if middle := a.Loss + (c.Loss-a.Loss)*(b.Norm-a.Norm)/(c.Norm-a.Norm); b.Loss > middle+1e-6 {
				t.Errorf("at norm %v the loss %v is above the chord %v", b.Norm, b.Loss, middle)
			}
		}
	}
}

// TestThreeSweeps: lambda, R and nu of one optimum each give the same norm and loss to 1e-6, by exact solvers, with
// no bias and with a free one, and each implies the lambda (F6, F8).
func TestThreeSweeps(t *testing.T) {
	t.Parallel()
	root, err := New("root")
	if err != nil {
		t.Fatal(err)
	}
	for _, bias := range []problem.Bias{problem.None, problem.Free} {
		p := kerneltest.Machine(t, 60, 1, bias)
		for _, lambda := range []float64{0.3, 0.1, 0.03, 0.01, 0.003} {
			q := *p
			q.Lambda = lambda
			sol := kerneltest.Run(t, dual.Working{}, &q, solver.Options{Gap: 1e-11})
			norm, mean := q.Criteria(sol.Point.W)
			ball, err := problem.NewNormConstrained(p.Gram, p.Y, nil, loss.Hinge{}, norm, bias)
			if err != nil {
				t.Fatal(err)
			}
			slack, err := problem.NewSlack(p.Gram, p.Y, mean/norm, bias)
			if err != nil {
				t.Fatal(err)
			}
			for name, other := range map[string]problem.BiCriterion{"R": ball, "nu": slack} {
				found := kerneltest.Run(t, root, other, solver.Options{Gap: 1e-10})
				n, l := other.Criteria(found.Point.W)
				if math.Abs(n/norm-1) > 1e-6 || math.Abs(l/mean-1) > 1e-6 {
					t.Errorf("bias %s, lambda %g, by %s: norm %.9g and loss %.9g, expected %.9g and %.9g", bias, lambda, name, n, l, norm, mean)
				}
			}
		}
	}
}

// lossAt is the loss at a norm on the curve through 0 and the points.
func lossAt(front []Tradeoff, norm float64) float64 {
	a := Tradeoff{Norm: 0, Loss: 1}
	for k, b := range front {
		if norm <= b.Norm || k == len(front)-1 {
			return a.Loss + (b.Loss-a.Loss)*(norm-a.Norm)/(b.Norm-a.Norm)
		}
		a = b
	}
	panic("no points")
}
