package batch

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// How many components there are to be, by the variances along all of them.

// nothingLeft is the part of the largest variance below which one is rounding.
const nothingLeft = 1e-12

// Fewest returns how many of the falling values have the sum, or how many are more than
// rounding if these have not.
func Fewest(value []float64, sum float64) (k int, enough bool) {
	captured := 0.0
	for k < len(value) && value[k] > nothingLeft*value[0] {
		captured += value[k]
		if k++; captured >= sum*(1-nothingLeft) {
			return k, true
		}
	}
	return k, false
}

// Likeliest returns the number of components below d that makes n rows the most likely, by Laplace's approximation of
// the evidence of probabilistic components of k directions (Minka, "Automatic choice of dimensionality for PCA", NIPS
// 2000, equation 77, as scikit-learn has it), of the d eigenvalues l of their covariance, with divisor n-1, falling:
//
//	log p(k) = log p(U) - n/2 sum_{i<=k} log l_i - n (d-k)/2 log v + (m+k)/2 log 2 pi - log |A|/2 - k/2 log n
//	log p(U) = -k log 2 + sum_{i<=k} log Gamma((d-i+1)/2) - (d-i+1)/2 log pi
//	log |A|  = sum_{i<=k} sum_{j>i} log (1/l'_j - 1/l'_i) (l_i - l_j) n
//
// v the mean of the others, l' the eigenvalues with v in their place, m = dk - k(k+1)/2. Equal eigenvalues, which
// would make |A| 0, count as apart by what chance makes of such, a part sqrt(2/n). Cost: d^2 logarithms.
func Likeliest(l []float64, n int) int {
	d, logN := len(l), elementary.Log(float64(n))
	best, most := 1, math.Inf(-1)
	prior, logs, inside, apart, rest := 0.0, 0.0, 0.0, 0.0, vec.Total(l)
	for k := 1; k < d && l[k-1] >= leastVariance; k++ {
		last := l[k-1]
		prior += logGamma(d-k+1) - float64(d-k+1)/2*elementary.Log(math.Pi) - math.Ln2
		logs += elementary.Log(last)
		for _, x := range l[:k-1] {
			inside += elementary.Log(between(1/x, 1/last, n))
		}
		for _, x := range l[k:] {
			apart += elementary.Log(between(x, last, n))
		}
		rest -= last
		v, outside := max(rest/float64(d-k), leastVariance), 0.0
		for _, x := range l[:k] {
			outside += elementary.Log(between(1/x, 1/v, n))
		}
		m := float64(d*k) - float64(k*(k+1))/2
		a := inside + apart + float64(float64(d-k)*outside) + float64(m*logN)
		p := prior - float64(float64(n)/2*logs) - float64(float64(n*(d-k))/2*elementary.Log(v)) + float64((m+float64(k))/2*elementary.Log(2*math.Pi)) - a/2 - float64(k)/2*logN
		if p > most {
			best, most = k, p
		}
	}
	return best
}

const leastVariance = 1e-15

// between returns by how much eigenvalues of n rows, or their inverses, are apart.
func between(low, high float64, n int) float64 {
	if high-low > 1e-12*high {
		return high - low
	}
	return high * math.Sqrt(2/float64(n))
}

// logGamma returns the logarithm of Gamma(m/2).
func logGamma(m int) (sum float64) {
	for ; m > 2; m -= 2 {
		sum += elementary.Log(float64(m-2) / 2)
	}
	if m == 1 {
		sum += elementary.Log(math.Pi) / 2
	}
	return sum
}
