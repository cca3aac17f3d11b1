package batch_test

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestSubgradientEnvelope: on the hinge with l2 the objective of the points never rises, and stays below
// 2 M^2/(lambda (t+1)) above the optimum, the bound on averages with weights t (Lacoste-Julien, Schmidt,
// Bach 2012), M^2 the largest |g|^2 on the ball that contains the optimum.
func TestSubgradientEnvelope(t *testing.T) {
	const lambda = 1e-2
	p := random(400, 10, loss.Hinge{}, "l2", lambda, problem.None)
	optimum := solve("newton", p, 1e-10, 200).Certificate.Primal
	longest := 0.0
	for _, square := range p.SquaredNorm {
		longest = max(longest, math.Sqrt(square))
	}
	m := lambda*math.Sqrt(2*p.Zero()/lambda) + longest
	s := must(linear.New("subgradient")).Start(p, solver.Start{})
	last := math.Inf(1)
	for step := 1; step <= 1000; step++ {
		s.Epoch()
		if step%10 != 0 {
			continue
		}
		value, _ := p.Primal(s.Point().W)
		if value > last*(1+1e-14) {
			t.Fatalf("the objective rises from %v to %v at step %d", last, value, step)
		}
		last = value
		if bound := 2 * m * m / (lambda * float64(step+1)); last-optimum > bound {
			t.Fatalf("step %d: %g above the optimum, bound %g", step, last-optimum, bound)
		}
	}
	if last-optimum > 1e-3 {
		t.Errorf("%g above the optimum after 1000 steps", last-optimum)
	}
}

// TestSubgradientProofs: gaps of 2e-2 are proved for each penalty it takes, with corners and without.
func TestSubgradientProofs(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Squared{}} {
		for _, spec := range []string{"l2", "elastic-net", "l1", "ball 1", "ball 2"} {
			for _, bias := range []problem.Bias{problem.Free, problem.None} {
				p := random(200, 10, l, "l2", 0.05, bias)
				switch spec {
				case "ball 1":
					p.Penalty, p.Lambda = penalty.Ball{Norm: 1, Radius: 1}, 1
				case "ball 2":
					p.Penalty, p.Lambda = penalty.Ball{Norm: 2, Radius: 1}, 1
				default:
					p.Penalty = must(penalty.New(spec))
				}
				sol := solve("subgradient", p, 2e-2, 5000)
				t.Logf("%T %s bias %v: %d epochs", l, spec, bias, sol.Epochs)
				if sol.Status != solver.Converged {
					t.Errorf("%T, %s, bias %v: %s, gap %g", l, spec, bias, sol.Status, sol.Certificate.Relative())
				}
			}
		}
	}
}

// TestShortestSubgradient: of l1 it is zero at the lasso's optimum and only there, and along it the
// objective falls.
func TestShortestSubgradient(t *testing.T) {
	p := random(300, 30, loss.Squared{}, "l1", 0.05, problem.None)
	best := solve("cd", p, 1e-12, 2000)
	s := must(linear.New("subgradient")).Start(p, solver.Start{From: &best.Point})
	s.Epoch()
	w := s.Point().W
	for j, v := range best.Point.W {
		if math.Abs(w[j]-v) > 1e-6 {
			t.Errorf("weight %d moves from %v to %v at the optimum", j, v, w[j])
		}
	}
	after, _ := p.Primal(solve("subgradient", p, 1e-3, 3000).Point.W)
	if after-best.Certificate.Primal > 1e-3*after {
		t.Errorf("objective %v, at the optimum %v", after, best.Certificate.Primal)
	}
}

func TestSubgradientRefuses(t *testing.T) {
	for spec, p := range map[string]*problem.Linear{
		"solver subgradient needs the penalty l2, l1 or elastic-net, or a bound on the norm, 'radius': found the penalty group": random(9, 2, loss.Hinge{}, "group", 1, problem.None),
		"solver subgradient needs a strongly convex penalty (l2 or elastic-net) for step=inverse: expected step=distance":       random(9, 2, loss.Hinge{}, "l1", 1, problem.None),
	} {
		if err := must(linear.New("subgradient:step=inverse")).Accepts(p); err == nil || err.Error() != spec {
			t.Errorf("%v, want %s", err, spec)
		}
	}
	const want = `solver "subgradient": step=sqrt: expected one of auto, inverse, distance`
	if _, err := linear.New("subgradient:step=sqrt"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
