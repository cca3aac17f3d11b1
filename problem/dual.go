package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/vec"
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
	uError := float64(float64(chain+8) * unit * p.magnitude(v) * -factor) // in norm, so in every place

	scale, conjugate := p.Penalty.Conjugate(u)
	strong := p.Penalty.StrongConvexity()
	penaltyError := float64(float64(len(u)+8) * unit * conjugate)
	if strong > 0 {
		uSize := math.Sqrt(vec.SquaredNorm64(u))
		uError += float64(4 * unit * uSize)
		penaltyError += float64((uSize + uError) * uError / strong)
	} else {
		// The conjugate is finite on a box only: leave room for the error of u.
		scale /= (1 + float64(scale*uError)) * (1 + 8*unit)
	}
	conjugates, conjugateError := p.conjugates(v, scale)
	value = -conjugates - float64(p.Lambda*conjugate)
	return value, conjugateError + float64(p.Lambda*penaltyError) + float64(4*unit*math.Abs(value))
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
