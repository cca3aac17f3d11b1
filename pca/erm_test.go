package pca

import "testing"

// Row 5: on orthogonal data the reference ends at the optimum for every seed, and
// is exact at every step.
func TestERM(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 2, 4} {
		for seed := range uint64(50) {
			x, sigma := simulated("orthogonal-sqrt", k, 10000, seed)
			s := startOf(t, "erm", Problem{Cols: simulatedCols, K: k})
			s.Learn(x)
			if got := missed(s.Basis(), k, sigma); got > 1e-15 {
				t.Errorf("k=%d seed=%d: epsilon = %g, expected 0", k, seed, got)
			}
		}
	}
	x, _ := simulated("gaussian", 2, 200, 1)
	s := startOf(t, "erm", Problem{Cols: simulatedCols, K: 2})
	for n := 1; n <= 200; n++ {
		s.Learn(x.Part(n-1, n))
		values, _ := jacobi(x.Part(0, n).second(), simulatedCols)
		if off := largestDifference(s.Basis().Value, values[:2]); off > 1e-12 {
			t.Fatalf("after %d rows the eigenvalues are off by %g", n, off)
		}
	}
}
