package linear

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Least squares are solved in a step: a gap that the rounding of the certificate does not allow
// ends the run soon after.
func TestSettled(t *testing.T) {
	const n, d = 400, 3
	x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
	for i := range y {
		for j := range d {
			x.Value[i*d+j] = float32((i*(j+3)+j)%17) - 8
		}
		y[i] = float64(x.Value[i*d]) + float64(i%5)
	}
	q := must(problem.NewLinear(problem.NewRows(x, 1), y, nil, loss.Squared{}, penalty.L2{}, 0.01, problem.Free))
	sol := must(solver.Run(context.Background(), must(New("newton")), q, solver.Options{Gap: 1e-17}))
	if sol.Status != solver.Stalled || sol.Epochs > 10 {
		t.Errorf("found %s after %d epochs with the gap %g", sol.Status, sol.Epochs, sol.Certificate.Relative())
	}
}
