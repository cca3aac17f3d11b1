package pca

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Row 3 of the checklist: nothing is lost by the top eigenvectors.
func TestSuboptimality(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		d := 3 + r.IntN(10)
		k := 1 + r.IntN(d-1)
		lambda := make([]float64, d)
		for i := range lambda {
			lambda[i] = 1 / float64(i+1)
		}
		second := assemble(lambda, randomRows(r.NormFloat64, d, d), d)
		values, vectors := jacobi(second, d)
		best := 0.0
		for _, v := range values[:k] {
			best += v
		}
		top := Basis{K: k, Cols: d, Component: vectors[:k*d]}
		if epsilon := Suboptimality(second, best, top); math.Abs(epsilon) > 1e-12 {
			t.Errorf("d = %d, k = %d: epsilon of the top eigenvectors is %g", d, k, epsilon)
		}
		other := Basis{K: k, Cols: d, Component: randomRows(r.NormFloat64, k, d)}
		if epsilon := Suboptimality(second, best, other); epsilon < -1e-12 {
			t.Errorf("d = %d, k = %d: epsilon of random directions is %g", d, k, epsilon)
		}
		diagonal := make([]float64, d*d)
		for i, v := range lambda {
			diagonal[i*d+i] = v
		}
		if got, want := Captured(lambda, other), Captured(diagonal, other); math.Abs(got-want) > 1e-15 {
			t.Errorf("diagonal: captured %v, dense %v", got, want)
		}
	}
}
