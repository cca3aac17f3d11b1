package engine

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// K19: with h = eps the objective of the hinge is at most eps above the optimum, after steps of
// the order 1/eps at most; the certificate is that of the hinge. A width that falls reaches any gap.
func TestAccelerated(t *testing.T) {
	t.Parallel()
	x, y := kerneltest.Toy(200)
	gram, err := gram.NewGram(kernel.RBF{Gamma: 0.5}, x, gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		p := kerneltest.Regularised(bias)(t, gram, y).(*problem.Kernel)
		best := kerneltest.Run(t, SDCA{}, p, solver.Options{Gap: 1e-8, Epochs: 20000}).Certificate
		before := 0
		for _, eps := range []float64{0.1, 0.01, 0.001, 0.0001} {
			s := Accelerated{H: eps}.Start(p, solver.Start{}).(*accelerated)
			for s.Epoch(); s.primal-s.dual > eps && s.end == nil; s.Epoch() {
			}
			c := p.Certify(s.Point())
			if c.Primal > best.Dual+eps || c.Dual > best.Primal || c.Gap() > eps*(1+1e-9) {
				t.Errorf("%v, h = %g: objective %.9g, bound %.9g, the optimum is %.9g", bias, eps, c.Primal, c.Dual, best.Primal)
			}
			if math.Abs(s.primal-c.Primal) > 1e-9 || s.dual > c.Dual+1e-9 {
				t.Errorf("%v, h = %g: found %g and %g, certified %g and %g", bias, eps, s.primal, s.dual, c.Primal, c.Dual)
			}
			if before > 0 && s.steps > 12*before+20 {
				t.Errorf("%v, h = %g: %d steps, after %d for ten times the width", bias, eps, s.steps, before)
			}
			t.Logf("%v, h = %g: %d steps", bias, eps, s.steps)
			before = s.steps
			for k := 0; k < 5000 && s.end == nil; k++ { // to the optimum of the smoothed problem
				s.Epoch()
			}
			if end := p.Certify(s.Point()); s.end == nil || end.Gap() > eps/2*(1+1e-3)+1e-9 {
				t.Errorf("%v, h = %g: gap %g of the smoothed optimum, expected at most %g: %v", bias, eps, end.Gap(), eps/2, s.end)
			}
		}
		got := kerneltest.Run(t, Accelerated{}, p, solver.Options{Gap: 1e-6, Epochs: 5000})
		if got.Status != solver.Converged || math.Abs(got.Certificate.Primal-best.Primal) > 1e-6 {
			t.Errorf("%v: %s at %.9g after %d steps, the optimum is %.9g", bias, got.Status, got.Certificate.Primal, got.Epochs, best.Primal)
		}
		t.Logf("%v: %d steps to 1e-6", bias, got.Epochs)
	}
}
