package theory

import "math"

// FiniteSum is f = (1/N) sum_i f_i with L-smooth f_i, f mu-strongly convex.
type FiniteSum struct{ N, Smoothness, Mu float64 }

// valid reports whether there is such a sum.
func (s FiniteSum) valid() bool { return s.N >= 1 && s.Mu > 0 && s.Mu <= s.Smoothness }

// SAG is the factor by which a step of SAG of 1/(16L) lessens the bound on E f - f*,
// [Schmidt]: 1 - min(mu/(16L), 1/(8n)).
func (s FiniteSum) SAG() float64 {
	return given(s.valid(), 1-min(s.Mu/(16*s.Smoothness), 1/(8*s.N)))
}

// SAGBound bounds E f(x_t) - f* of SAG with steps 1/(16L) and a table of zeros:
// SAG()^t (start + (4L/n) distance + noise/(16L)), where start = f(x_0) - f*, distance =
// |x_0 - x*|^2 and noise = (1/n) sum_i |grad f_i(x*)|^2.
func (s FiniteSum) SAGBound(start, distance, noise, steps float64) float64 {
	c := start + 4*s.Smoothness/s.N*distance + noise/(16*s.Smoothness)
	return given(s.valid() && steps >= 0, math.Pow(s.SAG(), steps)*c)
}

// SAGA is the factor of a step of SAGA of 1/(3L), on the bound on E |x - x*|^2:
// 1 - min(1/(4n), mu/(3L)).
func (s FiniteSum) SAGA() float64 {
	return given(s.valid(), 1-min(1/(4*s.N), s.Mu/(3*s.Smoothness)))
}

// SVRG is the factor rho by which a round of SVRG lessens E f - f*, of inner steps eta and the
// snapshot at a random one of them (Johnson and Zhang 2013, Theorem 1):
//
//	rho = 1/(mu eta (1 - 2 L eta) inner) + 2 L eta/(1 - 2 L eta).
//
// eta = 0.1/L and inner = 50 L/mu give 1/2. It is +Inf for eta >= 1/(2L); 1 or more is no bound.
func (s FiniteSum) SVRG(eta, inner float64) float64 {
	left := 1 - 2*s.Smoothness*eta
	return given(s.valid() && inner > 0 && eta > 0 && left > 0, 1/(s.Mu*eta*left*inner)+2*s.Smoothness*eta/left)
}
