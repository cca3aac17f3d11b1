package metric

import (
	"math"
	"testing"
)

// TestExactInterval compares with binomial tails: at the lower end k and more events have the
// probability alpha/2, at the upper end k and fewer.
func TestExactInterval(t *testing.T) {
	for _, c := range [][3]float64{{0, 10, 0.05}, {1, 10, 0.05}, {5, 10, 0.1}, {10, 10, 0.05}, {3, 200, 0.05}, {150, 200, 0.01}} {
		k, n, alpha := c[0], c[1], c[2]
		lo, hi := ExactInterval(k, n, alpha)
		tail := func(p float64, from, to float64) (sum float64) {
			for j := from; j <= to; j++ {
				a, _ := math.Lgamma(n + 1)
				b, _ := math.Lgamma(j + 1)
				d, _ := math.Lgamma(n - j + 1)
				sum += math.Exp(a - b - d + j*math.Log(p) + (n-j)*math.Log1p(-p))
			}
			return sum
		}
		if k > 0 && math.Abs(tail(lo, k, n)-alpha/2) > 1e-10 || k == 0 && lo != 0 {
			t.Errorf("%v: the lower end %g has the tail %g", c, lo, tail(lo, k, n))
		}
		if k < n && math.Abs(tail(hi, 0, k)-alpha/2) > 1e-10 || k == n && hi != 1 {
			t.Errorf("%v: the upper end %g has the tail %g", c, hi, tail(hi, 0, k))
		}
	}
	if lo, hi := ExactInterval(1e5, 3e5, 0.05); hi-lo > 0.0035 || !(lo < 1./3 && 1./3 < hi) {
		t.Errorf("many rows: found %g to %g", lo, hi)
	}
	if lo, _ := ExactInterval(3, 2, 0.05); !math.IsNaN(lo) {
		t.Errorf("more events than rows: found %g", lo)
	}
}
