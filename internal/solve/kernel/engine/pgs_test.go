package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	_ "github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestPGSOfLinearKernel: with a linear kernel the primal gradient solver makes the steps that it makes on
// weights, with the same rows drawn: the predictions are the same.
func TestPGSOfLinearKernel(t *testing.T) {
	const n, d, lambda = 300, 6, 0.02
	r := rand.New(rand.NewPCG(11, 24))
	x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
	for i := range y {
		for j := range d {
			x.Value[i*d+j] = float32(r.NormFloat64())
		}
		y[i] = math.Copysign(1, float64(x.Value[i*d])+r.NormFloat64()/2)
	}
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}} {
			gram := must(gram.NewGram(kernel.Linear{}, x, gram.Options{Threads: 1}))
			machine := must(problem.NewKernel(gram, y, nil, l, lambda, bias))
			weights := must(problem.NewLinear(problem.NewRows(x, 1), y, nil, l, penalty.L2{}, lambda, bias))
			a := must(support.Solvers.New("pgs:output=last")).Start(machine, solver.Start{Seed: 3})
			b := must(solver.Linear.New("pgs:output=last")).Start(weights, solver.Start{Seed: 3})
			for range 3 {
				a.Epoch()
				b.Epoch()
			}
			beta, w, m := a.Point().W, b.Point().W, make([]float64, n)
			weights.Predict(m, w)
			for i := range m {
				found := beta[n]
				for k := range n {
					for j := range d {
						found += beta[k] * float64(x.Value[k*d+j]) * float64(x.Value[i*d+j])
					}
				}
				if math.Abs(found-m[i]) > 1e-9 {
					t.Fatalf("%T, bias %v, row %d: %v by the kernel, %v by weights", l, bias, i, found, m[i])
				}
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
