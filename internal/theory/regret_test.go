package theory

import "math"

// Regret bounds the regret of the primal gradient solver, Lemma 1 of [PGS]:
//
//	sum_t p_t(w_{t-1}) - min_w sum_t p_t(w)  <=  1/2 sum_t |g_t|_q^2 / (t sigma)
//
// for p_t = sigma r + loss_t, r strongly convex with modulus 1 in the norm p, 1/p + 1/q = 1,
// and subgradients g_t of loss_t at w_{t-1}. The paper prints w_t; its proof needs w_{t-1}.
func Regret(norms []float64, sigma float64) float64 {
	sum := 0.0
	for t, g := range norms {
		sum += g * g / float64(t+1)
	}
	return given(sigma > 0, sum/(2*sigma))
}

// RegretOfLipschitz bounds the regret of T steps if no |g_t|_q is above lipschitz, Corollary 1
// of [PGS]: Lambda^2 (1 + ln T)/(2 sigma).
func RegretOfLipschitz(lipschitz, sigma, steps float64) float64 {
	return given(sigma > 0 && steps >= 1, lipschitz*lipschitz*(1+math.Log(steps))/(2*sigma))
}

// PGSMean bounds E F(w_i) - F* of the primal gradient solver after T steps, where i is drawn
// from 0..T-1 and rows independently: Lambda^2 (1 + ln T)/(2 sigma T).
func PGSMean(lipschitz, sigma, steps float64) float64 {
	return given(steps >= 1, RegretOfLipschitz(lipschitz, sigma, steps)/steps)
}

// PGSLikely bounds F(w_i) - F* with probability 1 - delta, Theorem 1 of [PGS], by Markov's
// inequality from PGSMean.
func PGSLikely(lipschitz, sigma, steps, delta float64) float64 {
	return given(delta > 0 && delta <= 1, PGSMean(lipschitz, sigma, steps)/delta)
}
