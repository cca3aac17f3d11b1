package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
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

// feasible sets v_i = s_i a_i for dual variables clipped to their domain
// and, if the bias is free, balanced: the sum of v is then exactly 0.
func (p *Linear) feasible(v, a []float64) {
	matrix.Blocks(len(a), blockRows, p.Threads, func(_, first, last int) {
		for i := first; i < last; i++ {
			lo, hi := p.Loss.Domain(p.Y[i])
			x := min(max(a[i], lo), hi)
			if math.IsNaN(x) {
				x = 0
			}
			v[i] = p.S[i] * x
			// A balanced dual point is v itself, so it must not have been
			// rounded away from zero, out of the domain.
			if p.Bias == Free && math.FMA(p.S[i], x, -v[i])*v[i] < 0 {
				v[i] = math.Nextafter(v[i], 0)
			}
		}
	})
	if p.Bias == Free {
		balance(v, p.Threads)
	}
}

// magnitude bounds the norm of sum_i |v_i||x_i|.
func (p *Linear) magnitude(v []float64) float64 {
	constant := p.Constant()
	bounds := make([]float64, blocksOf(len(v)))
	matrix.Blocks(len(v), blockRows, p.Threads, func(b, lo, hi int) {
		sum := 0.0
		for i := lo; i < hi; i++ {
			sum += float64(math.Abs(v[i]) * p.norm(i, constant))
		}
		bounds[b] = sum
	})
	return sumBound(bounds)
}

// conjugates returns (1/N) sum_i s_i l_i*(scale v_i / s_i) and its error.
func (p *Linear) conjugates(v []float64, scale float64) (value, bound float64) {
	errs := make([]float64, blocksOf(len(v)))
	sum := sumBlocks(len(v), p.Threads, func(b, lo, hi int) (sum float64) {
		sum, errs[b] = p.conjugatesOf(v[lo:hi], scale, lo)
		return sum
	})
	return sum / p.N, sumBound(errs) / p.N
}

// conjugatesOf returns the sum of the weighted conjugates of the rows of a
// block, which begins with row first, and of their errors.
func (p *Linear) conjugatesOf(v []float64, scale float64, first int) (sum, bound float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	y, weight := p.Y[first:first+len(v)], p.S[first:first+len(v)]
	a, conjugate := s[0][:len(v)], s[1][:len(v)]
	for k, v := range v {
		lo, hi := p.Loss.Domain(y[k])
		a[k] = min(max(scale*(v/weight[k]), lo), hi)
	}
	loss.ConjugateTo(p.Loss, conjugate, a, y)
	var total vec.Sum
	for k, c := range conjugate {
		total.Add(weight[k] * c)
		size := math.Abs(a[k])
		bound += float64(weight[k] * 64 * unit * (math.Abs(c) + float64(size*(1+size+math.Abs(y[k])))))
	}
	return total.Value(), bound
}
