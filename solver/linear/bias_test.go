package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestFreeBiasAlone: where there is nothing but a free bias, and a row may weigh a
// thousand times another, the bias settles.
func TestFreeBiasAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for _, l := range []loss.Loss{loss.EpsilonInsensitive{Epsilon: 0.1}, loss.Absolute{}, loss.Hinge{}, loss.Squared{}, loss.SquaredHinge{}, loss.Logistic{}} {
		_, margin := l.(loss.Margin)
		for range 200 {
			n := 2 + r.IntN(5)
			y, weight := make([]float64, n), make([]float64, n)
			for i := range n {
				if y[i] = math.Round(20*r.NormFloat64()) / 10; margin {
					y[i] = float64(2*r.IntN(2) - 1)
				}
				weight[i] = math.Pow(10, 3*r.Float64())
			}
			x := &matrix.Dense{Rows: n, Cols: 1, Value: make([]float32, n)}
			p := must(problem.NewLinear(problem.NewRows(x, 1), y, weight, l, penalty.L2{}, math.Pow(10, -4*r.Float64()), problem.Free))
			s := must(solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-9, Epochs: 400}))
			if s.Status != solver.Converged && s.Certificate.Primal > 1e-12 {
				t.Errorf("%T: %s at %g, y %v, weights %v, lambda %g", l, s.Status, s.Certificate.Relative(), y, weight, p.Lambda)
			}
		}
	}
}
