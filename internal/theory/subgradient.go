package theory

import "math"

// Bounds for w_{k+1} = Project(w_k - eta_k g_k) with E g_k a subgradient of f at w_k and
// E |g_k|^2 <= M^2, section 4 of [Ulbrich]. Its texts mix k and K, and print K for the
// floor of K/2 and 1/T for 1/K: these are the corrected forms.

// LastIterate bounds E f(w_k) - f* for mu-strongly convex f and steps 1/(mu k), k >= 3,
// Theorem 4.3: M^2 (29 + 33 ln k)/(2 mu k).
func LastIterate(m2, mu, k float64) float64 {
	return given(mu > 0 && k >= 3, m2*(29+33*math.Log(k))/(2*mu*k))
}

// SquaredDistance bounds E |w_k - w*|^2 under the same conditions, Lemma 4.4: 4 M^2/(mu^2 k).
func SquaredDistance(m2, mu, k float64) float64 {
	return given(mu > 0 && k >= 1, 4*m2/(mu*mu*k))
}

// HalfSuffix bounds E f - f* at the mean of w_k, k = K - floor(K/2) to K, under the same
// conditions, (31): 9 M^2/(mu K).
func HalfSuffix(m2, mu, steps float64) float64 {
	return given(mu > 0 && steps >= 3, 9*m2/(mu*steps))
}

// ConvexIterate bounds E f(w_k) - f* for convex f on a set of diameter d and steps c/sqrt(k), k >= 2,
// Theorem 4.5: (d^2/c + c M^2)(2 + ln k)/sqrt(k), least for c = d/M.
func ConvexIterate(m2, d, c, k float64) float64 {
	return given(c > 0 && k >= 2, (d*d/c+c*m2)*(2+math.Log(k))/math.Sqrt(k))
}
