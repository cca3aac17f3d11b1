package dual

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// small is a random problem of one of the kinds that have broken solvers:
// duplicates, also with opposite labels, row weights, all coefficients at a
// bound (small C) or hardly any (large C).
func small(random *rand.Rand, bias problem.Bias) *problem.Kernel {
	n, d := 4+random.IntN(26), 1+random.IntN(4)
	values, y := make([]float32, n*d), make([]float64, n)
	var weights []float64
	for i := range n {
		y[i] = float64(2*random.IntN(2) - 1)
		for j := range d {
			values[i*d+j] = float32(random.NormFloat64() + 0.5*y[i])
		}
		if twin := random.IntN(6); twin < 2 && i > 0 {
			from := random.IntN(i)
			copy(values[i*d:], values[from*d:(from+1)*d])
			y[i] = y[from] * float64(1-2*twin)
		}
	}
	y[0], y[1] = 1, -1
	if random.IntN(2) == 0 {
		for range n {
			weights = append(weights, 0.25+3*random.Float64())
		}
	}
	x, err := matrix.NewDense(n, d, values)
	if err != nil {
		panic(err)
	}
	var k kernel.Kernel = kernel.Linear{}
	if random.IntN(3) > 0 {
		k = kernel.RBF{Gamma: math.Pow(10, random.Float64()*2-1.5)}
	}
	gram, err := gram.NewGram(k, x, gram.Options{Threads: 1, Double: true})
	if err != nil {
		panic(err)
	}
	c := math.Pow(10, 4*random.Float64()-1)
	p, err := problem.NewKernel(gram, y, weights, loss.Hinge{}, 1/(c*float64(n)), bias)
	if err != nil {
		panic(err)
	}
	return p
}

// TestOracle: the optimum of 400 small problems is that of an interior-point
// method which shares no code with the solvers.
func TestOracle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 2))
	for trial := range kerneltest.Nightly(400, 80) {
		bias := []problem.Bias{problem.Free, problem.Free, problem.None, problem.Feature}[trial%4]
		p := small(random, bias)
		_, value := kerneltest.QuadraticOf(p).Solve()
		want := -p.Lambda * value
		for k, s := range exact {
			if k > 1 && (trial%len(exact) != k || p.Lambda < 1e-4) {
				continue // the slow ones take turns; at a large C some need minutes
			}
			sol, err := solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			got := sol.Certificate.Primal
			if math.Abs(got-want) > 1e-6*math.Abs(want) || sol.Status != solver.Converged {
				t.Errorf("trial %d, %d rows, bias %v, lambda %.3g, %T: %.12g, expected %.12g: %s after %d epochs, gap %.3g", trial, p.Len(), bias, p.Lambda, p.Kernel, got, want, fmt.Sprintf("%T%+v: %s", s, s, sol.Status), sol.Epochs, sol.Certificate.Relative())
			}
		}
	}
}

// exact are the solvers that reach any gap.
var exact = []solver.Solver{
	Working{}, SMO{"second"}, SMO{"first"}, SMO{"gain"}, SMO{"hybrid"}, Working{Q: 2}, Working{Q: 4}, Decomposition{Q: 10},
}

var _ = flag.Bool("long", false, "solve all problems of the tests that draw hundreds, not the first of them alone")
