package dual

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestObjectives: what dual ascent knows of the point that it made last is what a certificate
// says, but for rounding; with a free bias, or logistic loss, it knows nothing.
func TestObjectives(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}, loss.Absolute{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, lambda := range []float64{1, 0.01} {
				p := documents(l, bias, 2)
				p.Lambda *= lambda
				s := SDCA{}.Start(p, solver.Start{Seed: 1}).(*sdca)
				told := 0
				for range 40 {
					s.Epoch()
					c := p.Certify(s.Point())
					known := s.Report().Objectives
					if known == nil {
						continue
					}
					told++
					primal, dual, zero := known.Primal, known.Dual, known.Zero
					if math.Abs(primal-c.Primal) > 1e-9*c.Primal || math.Abs(dual-c.Dual) > 1e-9*c.Primal || zero != c.Zero {
						t.Fatalf("%T, %v: knows %g, %g and %g, the certificate says %g, %g and %g", l, bias, primal, dual, zero, c.Primal, c.Dual, c.Zero)
					}
				}
				_, logistic := l.(loss.Logistic)
				if known := bias != problem.Free && !logistic; known && told < 6 || !known && told > 0 {
					t.Errorf("%T, %v, %g: knew the objectives %d times", l, bias, lambda, told)
				}
			}
		}
	}
}
