package theory

import "math"

// BatchVariance is E |e|^2 of the error e of the mean of b of n gradients, drawn with
// replacement: v/b, where v = (1/n) sum_i |g_i - mean|^2, [Schmidt].
func BatchVariance(v, b float64) float64 { return given(b >= 1, v/b) }

// BatchVarianceDistinct is that of b different ones of n gradients: (n-b)/(n-1) v/b, which is
// 0 for b = n. (The slides' (n-b)/n belongs to the variance that is divided by n-1.)
func BatchVarianceDistinct(v, b, n float64) float64 {
	if b == n {
		return 0
	}
	return given(b >= 1 && b < n, (n-b)/(n-1)*v/b)
}

// GrowingBatch is the size of batch k = 1, 2, ... that makes the noise decay as Vanishing asks:
// min(n, ceil(first rho^(1-k))).
func GrowingBatch(first, rho, k, n float64) float64 {
	return min(n, math.Ceil(first*math.Pow(rho, 1-k)))
}
