package dual

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestFreeStayInTheSet: of rows in few dimensions, with few coefficients free, few rounds are needed,
// and no more where the file has the rows in the order of a coordinate.
func TestFreeStayInTheSet(t *testing.T) {
	const n, d = 6000, 8
	random := rand.New(rand.NewPCG(3, 3))
	rows := make([][d]float32, n)
	for i := range rows {
		for j := range rows[i] {
			rows[i][j] = float32(random.NormFloat64())
		}
	}
	for _, sorted := range []bool{false, true} {
		if sorted {
			slices.SortFunc(rows, func(a, b [d]float32) int { return int(math.Copysign(1, float64(a[0]-b[0]))) })
		}
		x, y := &matrix.Dense{Rows: n, Cols: d}, make([]float64, n)
		noise := rand.New(rand.NewPCG(4, 4))
		for i, r := range rows {
			x.Value = append(x.Value, r[:]...)
			y[i] = math.Sin(2*float64(r[0])) + float64(r[1]*r[2]) + 0.3*noise.NormFloat64()
		}
		g, err := gram.NewGram(kernel.RBF{Gamma: 0.01}, x, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewKernel(g, y, nil, loss.EpsilonInsensitive{Epsilon: 0.1}, 1/float64(n), problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		sol := kerneltest.Run(t, Working{Q: 200}, p, solver.Options{Gap: 1e-3})
		if sol.Status != solver.Converged || sol.Epochs > 65 {
			t.Errorf("sorted %v: %s after %d rounds, expected at most 65", sorted, sol.Status, sol.Epochs)
		}
	}
}
