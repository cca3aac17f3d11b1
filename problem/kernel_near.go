package problem

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Respond returns K beta, and a bound on how far each of its numbers is off.
func (p *Kernel) Respond(beta []float64) (value []float64, off float64) {
	r := p.respond(beta)
	return r.value, slices.Max(r.error)
}

// Largest bounds the values of the kernel between two rows, and how far a computed one is off.
func (p *Kernel) Largest() (value, off float64) {
	norm := slices.Max(p.SquaredNorm)
	off = p.Kernel.Error(p.Terms, norm, norm) + lost
	return largestOf(p.Diagonal) + off, off
}

// CertifyNear is Certify without values of the kernel, for a point whose coefficients are those of
// its dual variables, as Weights gives them, in a problem that is convex: value is K beta, each
// number off by at most off, for which the certificate allows. It has no facts.
func (p *Kernel) CertifyNear(pt Point, value []float64, off float64) Certificate {
	n := p.Len()
	beta, bias := pt.W[:n], pt.W[n]
	r := response{value: value, error: slices.Repeat([]float64{off}, n)}
	var sum, size vec.Sum
	for _, b := range beta {
		sum.Add(b)
		size.Add(math.Abs(b))
	}
	r.sum, r.size = sum.Value(), size.Value()
	p.square(&r, beta)
	primal, rounding := p.primal(r, bias)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: rounding}
	if r.negative {
		return c
	}
	v := make([]float64, n)
	p.feasible(v, pt.A)
	factor := -1 / (p.Lambda * p.N)
	for i := range v {
		if factor*v[i] != beta[i] {
			return c
		}
	}
	c.below(p.dual(v, r))
	return c
}
