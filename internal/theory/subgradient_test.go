package theory

import "math"

// Suffix bounds E f - f* at the mean of the last share of K iterates, 0 < share < 1, under the
// same conditions: 17 M^2 (1 - ln min(share, 1 + 1/K - share))/(mu K).
func Suffix(m2, mu, steps, share float64) float64 {
	least := min(share, 1+1/steps-share)
	return given(mu > 0 && steps >= 1 && share > 0 && share < 1, 17*m2*(1-math.Log(least))/(mu*steps))
}

// LastIterateConvex bounds E f(w_k) - f* for convex f on a set of that diameter and steps
// c/sqrt k, k >= 2, Theorem 4.5: (D^2/c + c M^2)(2 + ln k)/sqrt k. The best c is D/M.
func LastIterateConvex(m2, diameter, c, k float64) float64 {
	return given(c > 0 && k >= 2, (diameter*diameter/c+c*m2)*(2+math.Log(k))/math.Sqrt(k))
}
