package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Dual returns the dual objective at the feasible point made of a, and a bound
// on the error of that computation. a itself is not changed.
func (p *Linear) Dual(a []float64) (value, bound float64) {
	v := borrow(&p.spare.duals, len(a))
	defer p.spare.duals.Put(&v)
	p.feasible(v, a)
	_, d := p.Dims()
	whole := borrow(&p.spare.weights, d+1)
	defer p.spare.weights.Put(&whole)
	clear(whole)
	chain := p.combine(whole, v)
	factor := -1 / (p.Lambda * p.N)
	u := whole[:p.Penalised()]
	for j := range u {
		u[j] *= factor
	}
	size := p.magnitude(v)
	rounding, underflow, uError := roundingsOf(chain, -factor, size, len(u))

	strong := p.Penalty.StrongConvexity()
	if strong == 0 && !p.knownDomain() {
		p.widen(u, v, rounding, underflow)
		uError = 0
	}
	scale, conjugate := p.Penalty.Conjugate(u)
	units := penalty.Units(p.Penalty, len(u))
	penaltyError := float64(units * unit * conjugate)
	squares := 0.0 // that underflow
	if strong > 0 {
		uSize := norm(u)
		uError += float64(4 * unit * uSize)
		if uError > 0 {
			squares = float64(float64(len(u)+8) * 4 * tiny / strong)
		}
		penaltyError += float64((uSize+uError)*uError/strong) + squares
	} else {
		scale = p.insideDomain(scale, u, v, rounding, underflow, uError)
	}
	conjugates, conjugateError := p.conjugates(v, scale)
	value = -conjugates - float64(p.Lambda*conjugate)
	if strong > 0 && p.Lambda*penaltyError > coarse*math.Abs(value) {
		p.widen(u, v, rounding, underflow)
		_, widest := p.Penalty.Conjugate(u)
		penaltyError = min(penaltyError, widest-conjugate+float64(units*2*unit*widest)+squares)
	}
	bound = conjugateError + float64(p.Lambda*penaltyError) + float64(4*unit*math.Abs(value))
	if size > 0 {
		bound += 8 * tiny
	}
	return value, bound
}

// roundingsOf returns, for u of so many numbers that is factor times a sum of terms of
// that size in a chain, the rounding error of u for each unit of the size, the underflow of each
// number, and the error of u in norm, so in every number.
func roundingsOf(chain int, factor, size float64, numbers int) (rounding, underflow, uError float64) {
	rounding = float64(float64(chain+8) * unit * factor)
	uError = float64(rounding * size)
	if size > 0 {
		underflow = float64(float64(chain+8)*tiny*factor) + 2*tiny
		uError += float64(float64(numbers) * underflow)
	}
	return rounding, underflow, uError
}

// knownDomain reports whether the domain of the conjugate is the unit box, or the penalty says
// itself what is inside.
func (p *Linear) knownDomain() bool {
	l1, _, _ := penalty.Coefficients(p.Penalty)
	_, coupled := p.Penalty.(penalty.Coupled)
	return l1 >= 1 || coupled
}

// insideDomain returns the scale at which u, without its errors, is inside the domain.
func (p *Linear) insideDomain(scale float64, u, v []float64, rounding, underflow, uError float64) float64 {
	c, ok := p.Penalty.(penalty.Coupled)
	if !ok {
		return p.insideBox(scale, u, v, rounding, underflow, uError)
	}
	reach := make([]float64, len(u))
	for j, x := range u {
		reach[j] = 8 * unit * math.Abs(x)
	}
	p.widen(reach, v, rounding, underflow)
	if scale = c.Within(u, reach) / (1 + 8*unit); scale < negligible {
		return 0
	}
	return scale
}

// insideBox returns the scale at which u is inside the domain of a conjugate that is finite on
// the unit box only, or was taken where each |u_j| is as large as it may be: with room for the
// error of u.
func (p *Linear) insideBox(scale float64, u, v []float64, rounding, underflow, uError float64) float64 {
	room := 1 / (1 + float64(scale*uError))
	if room *= scale; room < (1-coarse)*scale {
		p.widen(u, v, rounding, underflow)
		scale, _ = p.Penalty.Conjugate(u)
		room = max(room, scale)
	}
	if scale = room / (1 + 8*unit); scale < negligible {
		return 0
	}
	return scale
}

// coarse is the share of a value, or of the room in the penalty's box, from which on the
// error of u is bounded for each feature by itself. In norm the longest features decide for
// all: with some 1e8 times as long as others a gap of 1e-3 could not be proved.
const coarse = 1e-5

// widen sets each u_j, made of v, to the largest that |u_j| may be without rounding: the
// inner product of v and a column is wrong by at most rounding |v| times its norm. The
// penalties are even, and grow with each |w_j|, and so are their conjugates (or else see insideDomain).
func (p *Linear) widen(u, v []float64, rounding, underflow float64) {
	norms := p.columnNorms()
	size := float64(rounding * norm(v) * (1 + 1e-5)) // their own rounding
	for j, x := range u {
		u[j] = float64(math.Abs(x)*(1+8*unit)) + float64(size*norms[j]) + underflow
	}
}

// magnitude bounds the norm of sum_i |v_i||x_i|.
func (p *Linear) magnitude(v []float64) float64 {
	constant := p.Constant()
	bounds := make([]float64, blocksOf(len(v)))
	parallel.Blocks(len(v), blockRows, p.Threads, func(b, lo, hi int) {
		sum := 0.0
		for i := lo; i < hi; i++ {
			sum += float64(math.Abs(v[i]) * p.norm(i, constant))
		}
		bounds[b] = sum
	})
	return sumBound(bounds)
}
