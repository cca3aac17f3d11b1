package newton

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestQuantile: without features the bias is the quantile of the targets; with them the share tau of
// the targets lies below the predictions, but for as many rows as there are weights; and at tau = 1/2
// the objective is half that of the absolute error at half the lambda.
func TestQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n, d = 501, 3
	values, y := make([]float32, n*d), make([]float64, n)
	for i := range y {
		for j := range d {
			values[i*d+j] = float32(r.NormFloat64())
		}
		y[i] = float64(values[i*d]) + math.Exp(r.NormFloat64())
	}
	solve := func(l loss.Loss, x []float32, cols int, lambda float64) *solver.Solution {
		p := must(problem.NewLinear(problem.NewRows(must(matrix.NewDense(n, cols, x)), 1), y, nil, l, penalty.L2{}, lambda, problem.Free))
		return must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-9, Epochs: 300}))
	}
	sorted := slices.Sorted(slices.Values(y))
	for _, tau := range []float64{0.1, 0.5, 0.9} {
		l := loss.Quantile{Tau: tau}
		if b := solve(l, make([]float32, n), 1, 1e-3).Point.W[1]; math.Abs(b-sorted[int(math.Floor(tau*n))]) > 1e-5 {
			t.Errorf("tau %g: bias %v, quantile %v", tau, b, sorted[int(math.Floor(tau*n))])
		}
		sol := solve(l, values, d, 1e-8)
		below := 0
		for i, v := range y {
			prediction := sol.Point.W[d]
			for j := range d {
				prediction += sol.Point.W[j] * float64(values[i*d+j])
			}
			if v < prediction {
				below++
			}
		}
		if sol.Status != solver.Converged || math.Abs(float64(below)-tau*n) > d+2 {
			t.Errorf("tau %g: %d of %d targets below, %s", tau, below, n, sol.Status)
		}
	}
	half, whole := solve(loss.Quantile{Tau: 0.5}, values, d, 1e-3), solve(loss.Absolute{}, values, d, 2e-3)
	if a, b := half.Certificate.Primal, whole.Certificate.Primal/2; math.Abs(a-b) > 1e-8*b {
		t.Errorf("objective %v at tau = 1/2, half of the absolute error's is %v", a, b)
	}
}
