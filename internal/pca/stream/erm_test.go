package stream

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// Row 5: on orthogonal data the reference ends at the optimum for every seed, and
// is exact at every step.
func TestERM(t *testing.T) {
	t.Parallel()
	for _, k := range []int{1, 2, 4} {
		for seed := range uint64(50) {
			x, sigma := pcatest.Simulated("orthogonal-sqrt", k, 10000, seed)
			s := pcatest.StartOf(t, "erm", method.Problem{Cols: pcatest.SimulatedCols, K: k})
			s.Learn(x)
			if got := pcatest.Missed(s.Basis(), k, sigma); got > 1e-15 {
				t.Errorf("k=%d seed=%d: epsilon = %g, expected 0", k, seed, got)
			}
		}
	}
	x, _ := pcatest.Simulated("gaussian", 2, 200, 1)
	s := pcatest.StartOf(t, "erm", method.Problem{Cols: pcatest.SimulatedCols, K: 2})
	for n := 1; n <= 200; n++ {
		s.Learn(x.Part(n-1, n))
		values, _ := pcatest.Jacobi(pcatest.SecondOf(x.Part(0, n)), pcatest.SimulatedCols)
		if off := pcatest.LargestDifference(s.Basis().Value, values[:2]); off > 1e-12 {
			t.Fatalf("after %d rows the eigenvalues are off by %g", n, off)
		}
	}
}
