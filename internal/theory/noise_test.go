package theory

// SquaredGradients bounds sum_k eta_k E |grad f(w_k)|^2 for L-smooth f, convex or not, that is
// at most start above its infimum at w_1, and steps of at most Alpha/(L M3), (44):
//
//	2 start/Alpha + (L M1/Alpha) sum_k Zeta^(k-1) eta_k^2.
//
// The text loses eta_k on the way and asks for sum eta_k -> 0 where it means infinity.
func (n Noise) SquaredGradients(smoothness, start float64, steps []float64) float64 {
	sum, decay, longest, positive := 0.0, 1.0, 0.0, true
	for _, eta := range steps {
		sum += decay * eta * eta
		decay *= n.Zeta
		longest, positive = max(longest, eta), positive && eta > 0
	}
	return given(positive && longest <= n.LongestStep(smoothness)*(1+1e-15), 2*start/n.Alpha+smoothness*n.M1/n.Alpha*sum)
}
