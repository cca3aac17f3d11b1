package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
)

// Tangent returns how far a point is from solving the convex problem that the
// concave-convex procedure makes of a loss.Ramped there, relative to its objective. With c_i =
// y_i (K beta)_i, bias included, and f_i = 1 where c_i < z, else 0,
//
//	P(w) = (1/N) sum_i s_i (max(0, 1 - c_i) + f_i c_i) + lambda/2 |w|^2
//	D(b) = (1/N) sum_i s_i (b_i + f_i) - lambda/2 |w(b)|^2,  b_i in [-f_i, 1-f_i],
//
// w(b) = sum_i s_i b_i y_i Phi(x_i)/(lambda N). Where the gap is 0 the point is a stationary
// one of the problem with the ramp; this is all that is known of it. The b are those of
// the coefficients, clipped. +Inf: it is not known, as of a free bias.
func (p *Kernel) Tangent(w []float64) float64 {
	ramp, ok := p.Loss.(loss.Ramped)
	if !ok || p.Bias == Free || !p.Definite() {
		return math.Inf(1)
	}
	n, factor := p.Len(), p.Lambda*p.N
	r := p.respond(w[:n])
	own, same := make([]float64, n), true
	var primal, dual vec.Sum
	for i, y := range p.Y {
		c, far := y*(r.value[i]+w[n]), 0.0
		if c < ramp.FlatBelow() {
			far = 1
		}
		b := float64(y*w[i]) * factor / p.S[i]
		clipped := min(max(b, -far), 1-far)
		own[i] = w[i]
		if math.Abs(clipped-b) > 1e-12 {
			own[i], same = y*clipped*p.S[i]/factor, false
		}
		primal.Add(p.S[i] * (max(0, 1-c) + float64(far*c)))
		dual.Add(p.S[i] * (clipped + far))
	}
	above := primal.Value()/p.N + float64(p.Lambda/2*(r.squared+float64(p.Constant()*w[n]*w[n])))
	if !same {
		r = p.respond(own)
	}
	below := dual.Value()/p.N - float64(p.Lambda/2*(r.squared+float64(p.Constant()*r.sum*r.sum)))
	if p.Cut() {
		return math.Inf(1)
	}
	return Relative(above, below, 1)
}
