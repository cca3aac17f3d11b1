package method_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// Row 3 of the checklist: nothing is lost by the top eigenvectors, and what is
// captured and what is left sum to the trace.
func TestSuboptimality(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		d := 3 + r.IntN(10)
		k := 1 + r.IntN(d-1)
		lambda, trace := make([]float64, d), 0.0
		for i := range lambda {
			lambda[i] = 1 / float64(i+1)
			trace += lambda[i]
		}
		second := pcatest.Assemble(lambda, pcatest.RandomRows(r.NormFloat64, d, d), d)
		values, vectors := pcatest.Jacobi(second, d)
		best := 0.0
		for _, v := range values[:k] {
			best += v
		}
		top := method.Basis{K: k, Cols: d, Component: vectors[:k*d]}
		if epsilon := method.Suboptimality(second, best, top); math.Abs(epsilon) > 1e-12 {
			t.Errorf("d = %d, k = %d: epsilon of the top eigenvectors is %g", d, k, epsilon)
		}
		other := method.Basis{K: k, Cols: d, Component: pcatest.RandomRows(r.NormFloat64, k, d)}
		if epsilon := method.Suboptimality(second, best, other); epsilon < -1e-12 {
			t.Errorf("d = %d, k = %d: epsilon of random directions is %g", d, k, epsilon)
		}
		if sum := method.Captured(second, other) + compressionLoss(second, other); math.Abs(sum-trace) > 1e-12 {
			t.Errorf("captured and left are %v, trace %v", sum, trace)
		}
		diagonal := make([]float64, d*d)
		for i, v := range lambda {
			diagonal[i*d+i] = v
		}
		if got, want := method.Captured(lambda, other), method.Captured(diagonal, other); math.Abs(got-want) > 1e-15 {
			t.Errorf("diagonal: captured %v, dense %v", got, want)
		}
		if got, want := compressionLoss(lambda, other), compressionLoss(diagonal, other); math.Abs(got-want) > 1e-14 {
			t.Errorf("diagonal: left %v, dense %v", got, want)
		}
	}
}

// compressionLoss returns tr Sigma - tr(U Sigma U^T), the mean squared distance of
// rows from the space of u, which is at least sum_{i>k} lambda_i.
func compressionLoss(second []float64, u method.Basis) (loss float64) {
	for j := range u.Cols {
		if len(second) == u.Cols {
			loss += second[j]
		} else {
			loss += second[j*u.Cols+j]
		}
	}
	return loss - method.Captured(second, u)
}
