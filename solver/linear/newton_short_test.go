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

// TestNewtonShortSteps: noisy classes, little more curved rows than columns: without a larger
// lambda on the way these need 158, more than 200, and 110 epochs.
func TestNewtonShortSteps(t *testing.T) {
	for _, c := range [][4]float64{{1000, 250, 0, 1e-5}, {1000, 250, 0, 1e-6}, {1000, 200, 2, 1e-3}} {
		n, d, spread := int(c[0]), int(c[1]), c[2]
		r := rand.New(rand.NewPCG(3, 4))
		x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
		for i := range n {
			score := 2 * r.NormFloat64()
			for j := range d {
				v := r.NormFloat64() * math.Exp(0.5*spread*r.NormFloat64()+spread*float64(j)/float64(d))
				x.Value[i*d+j] = float32(v)
				score += math.Sin(float64(j)) * v * math.Exp(-spread*float64(j)/float64(d))
			}
			y[i] = math.Copysign(1, score)
		}
		p := must(problem.NewLinear(problem.NewRows(x, 2), y, nil, loss.SquaredHinge{}, penalty.L2{}, c[3], problem.None))
		s := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-3, Epochs: 200}))
		if s.Status != solver.Converged || s.Epochs > 60 {
			t.Errorf("%v: %s at %g after %d epochs", c, s.Status, s.Certificate.Relative(), s.Epochs)
		}
	}
}
