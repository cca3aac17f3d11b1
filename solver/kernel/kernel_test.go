package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
)

// toy is n points of the plane, which a line does not separate.
func toy(n int) (*matrix.Dense, []float64) {
	random := rand.New(rand.NewPCG(1, 2))
	x, err := matrix.NewDense(n, 2, make([]float32, 2*n))
	if err != nil {
		panic(err)
	}
	y := make([]float64, n)
	for i := range n {
		a, b := random.NormFloat64(), random.NormFloat64()
		x.Value[2*i], x.Value[2*i+1] = float32(a), float32(b)
		y[i] = math.Copysign(1, a*b+0.3*random.NormFloat64())
	}
	return x, y
}

// With the linear kernel a kernel machine is the linear predictor with the
// penalty |w|^2/2.
func TestLinearKernelIsLinear(t *testing.T) {
	x, y := toy(60)
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.Squared{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature} {
			gram, err := kernel.NewGram(kernel.Linear{}, x, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := problem.NewKernel(gram, y, nil, l, 0.1, bias)
			if err != nil {
				t.Fatal(err)
			}
			q, err := problem.NewLinear(problem.NewRows(x, 1), y, nil, l, penalty.L2{}, 0.1, bias)
			if err != nil {
				t.Fatal(err)
			}
			one, err := solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			s, _ := linear.New("sdca")
			two, err := solver.Run(context.Background(), s, q, solver.Options{Gap: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			if one.Status != solver.Converged || math.Abs(one.Certificate.Primal-two.Certificate.Primal) > 1e-8 {
				t.Errorf("%T bias %v: %s at %.12g, expected %.12g", l, bias, one.Status, one.Certificate.Primal, two.Certificate.Primal)
			}
		}
	}
}
