package theory

import "math"

// Noise is what is known of the stochastic gradients G_k of a smooth function f, with mean
// g_k, Assumption 4.6 of [Ulbrich]:
//
//	|g_k| <= Beta |grad f|,   <grad f, g_k> >= Alpha |grad f|^2,
//	variance of G_k <= M1 Zeta^(k-1) + M2 |grad f|^2,   0 < Zeta <= 1.
type Noise struct{ Alpha, Beta, M1, M2, Zeta float64 }

// M3 is M2 + Beta^2: E |G_k|^2 <= M1 Zeta^(k-1) + M3 |grad f|^2.
func (n Noise) M3() float64 { return n.M2 + n.Beta*n.Beta }

// LongestStep is the largest constant step of Theorem 4.8 for L-smooth f: Alpha/(L M3).
func (n Noise) LongestStep(smoothness float64) float64 { return n.Alpha / (smoothness * n.M3()) }

// A Descent is a run of constant steps on f, mu-strongly convex and L-smooth, from a point
// that is Start = f(w_1) - f* above the optimum.
type Descent struct{ Mu, Smoothness, Step, Start float64 }

// valid reports whether Theorem 4.8 speaks of the run.
func (d Descent) valid(n Noise) bool {
	return d.Mu > 0 && d.Step > 0 && d.Step <= n.LongestStep(d.Smoothness)*(1+1e-15) && n.Zeta > 0 && n.Zeta <= 1
}

// FastestRate is the infimum 1 - Alpha mu eta of the rates of Theorem 4.8. It is not attained:
// the constant is infinite there.
func (d Descent) FastestRate(n Noise) float64 { return 1 - n.Alpha*d.Mu*d.Step }

// Vanishing bounds E f(w_k) - f* where Zeta < 1, Theorem 4.8, for any rate rho >= Zeta above
// 1 - Alpha mu eta and below 1:
//
//	C rho^(k-1),   C = max(L M1 eta^2 / (2 (rho + Alpha mu eta - 1)), f(w_1) - f*).
//
// Section 4.4 takes rho = Zeta = 1 - mu/L with eta = 1/L, where C is infinite; 1 - mu/(2L) is valid.
func (d Descent) Vanishing(n Noise, rho, k float64) float64 {
	slack := rho - d.FastestRate(n)
	c := max(d.Smoothness*n.M1*d.Step*d.Step/(2*slack), d.Start)
	return given(d.valid(n) && slack > 0 && rho < 1 && rho >= n.Zeta, c*math.Pow(rho, k-1))
}

// Floor is what the bound of Persistent tends to: eta L M1/(2 Alpha mu).
func (d Descent) Floor(n Noise) float64 {
	return given(d.valid(n), d.Step*d.Smoothness*n.M1/(2*n.Alpha*d.Mu))
}

// Persistent bounds E f(w_k) - f* where Zeta = 1, Theorem 4.8:
// Floor + (1 - Alpha mu eta)^(k-1) (f(w_1) - f* - Floor).
func (d Descent) Persistent(n Noise, k float64) float64 {
	floor := d.Floor(n)
	return given(d.valid(n), floor+math.Pow(d.FastestRate(n), k-1)*(d.Start-floor))
}
