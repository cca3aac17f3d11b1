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

// ball is random with a bound on the norm.
func ball(n, d int, l loss.Loss, norm int, radius float64, bias problem.Bias) *problem.Linear {
	p := random(n, d, l, "l2", 1, bias)
	return must(problem.NewLinear(p.Rows, p.Y, nil, l, penalty.Ball{Norm: norm, Radius: radius}, 1, bias))
}

// TestFrankWolfe: pairwise steps prove a gap of 1e-9, the others less, on each ball with each bias; the
// optimum is that of accelerated projected gradients, and the weights are inside of the ball.
func TestFrankWolfe(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared{}, loss.Logistic{}} {
		for _, norm := range []int{1, 2} {
			for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
				p := ball(200, 12, l, norm, 0.8, bias)
				want := solve("accelerated", p, 1e-10, 3000)
				for spec, gap := range map[string]float64{"frank-wolfe": 1e-9, "frank-wolfe:steps=search": 1e-3, "frank-wolfe:steps=open": 1e-3} {
					if norm == 2 {
						gap = max(gap, 1e-6)
					}
					sol := solve(spec, p, gap, 2000)
					if c := sol.Certificate; sol.Status != solver.Converged || c.Dual > want.Certificate.Primal || c.Primal < want.Certificate.Dual {
						t.Errorf("%T, norm %d, bias %v, %s: %s after %d epochs, gap %g, %v", l, norm, bias, spec, sol.Status, sol.Epochs, c.Relative(), c.Primal)
					}
					if p.Penalty.Value(sol.Point.W[:p.Penalised()]) != 0 {
						t.Errorf("%s: the point is outside of the ball", spec)
					}
				}
			}
		}
	}
}

// TestFrankWolfeGap: the gap that the certificate proves is that of Frank and Wolfe, <g,w> + R max |g_j|.
func TestFrankWolfeGap(t *testing.T) {
	const radius = 0.8
	p := ball(200, 12, loss.Logistic{}, 1, radius, problem.None)
	s := must(linear.New("frank-wolfe:steps=open")).Start(p, solver.Start{})
	for range 5 {
		s.Epoch()
		point := s.Point()
		g := gradient(p, point.W)
		inner, steepest := 0.0, 0.0
		for j, w := range point.W[:12] {
			inner += g[j] * w
			steepest = max(steepest, math.Abs(g[j]))
		}
		if want, got := inner+radius*steepest, p.Certify(point).Gap(); math.Abs(got-want) > 1e-12 {
			t.Errorf("gap %v, of Frank and Wolfe %v", got, want)
		}
	}
}

// TestFrankWolfeRefuses: what is no smooth loss on a ball, and steps that do not exist.
func TestFrankWolfeRefuses(t *testing.T) {
	s := must(linear.New("frank-wolfe"))
	for p, want := range map[*problem.Linear]string{
		ball(9, 2, loss.Hinge{}, 1, 1, problem.None):        "solver frank-wolfe needs a smooth loss such as huber-hinge, squared-hinge, logistic or squared, which hinge is not",
		random(9, 2, loss.Squared{}, "l1", 1, problem.None): "solver frank-wolfe needs a bound on the norm, 'radius' with the penalty l1 or l2: found the penalty l1",
	} {
		if err := s.Accepts(p); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	const want = `solver "frank-wolfe": steps=away: expected one of pairwise, search, open`
	if _, err := linear.New("frank-wolfe:steps=away"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
