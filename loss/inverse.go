package loss

import "math"

// beyond makes an end infinite where a is at that end of the domain.
func beyond(a, first, last, lo, hi float64) (float64, float64) {
	if a <= first {
		lo = math.Inf(-1)
	}
	if a >= last {
		hi = math.Inf(1)
	}
	return lo, hi
}

// tube returns the wall around p that is on the side of a, both for a = 0.
func tube(a, p, epsilon float64) (lo, hi float64) {
	lo, hi = p-epsilon, p+epsilon
	switch {
	case a < 0:
		hi = lo
	case a > 0:
		lo = hi
	}
	return lo, hi
}
