package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
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
	return dualOf(p, p.Penalty, p.Lambda, p.N, v, whole[:p.Penalised()], chain)
}

// duals is what the dual objectives of one prediction and of those of all classes differ in.
type duals interface {
	magnitude(v []float64) float64
	widen(u, v []float64, rounding, underflow float64)
	conjugates(v []float64, scale float64) (value, bound float64)
}

// dualOf is the dual objective at a feasible v, with a bound on the error. u is X^T v, of which each number
// was added in that many steps; it is overwritten.
func dualOf(p duals, penalty penalty.Penalty, lambda, n float64, v, u []float64, chain int) (value, bound float64) {
	factor := -1 / (lambda * n)
	for j := range u {
		u[j] *= factor
	}
	size := p.magnitude(v)
	rounding, underflow, uError := roundingsOf(chain, -factor, size, len(u))
	c := conjugation{penalty: penalty, lambda: lambda, u: u, uError: uError, widen: func(u []float64) { p.widen(u, v, rounding, underflow) }}
	scale := c.evaluate()
	conjugates, conjugateError := p.conjugates(v, scale)
	value = -conjugates - float64(lambda*c.value)
	c.sharpen(value)
	bound = conjugateError + float64(lambda*c.bound) + float64(4*unit*math.Abs(value))
	if size > 0 {
		bound += 8 * tiny
	}
	return value, bound
}

// conjugation is the penalty's conjugate at a u of which each number, and the whole in norm, is
// off by uError at most. widen sets each number of u to the largest that |u_j| may be.
type conjugation struct {
	penalty penalty.Penalty
	lambda  float64
	u       []float64
	uError  float64
	widen   func(u []float64)

	value, bound  float64 // of the conjugate, and of its error
	strong, units float64
	squares       float64 // that underflow
}

// evaluate sets value and bound, and returns the scale at which u is in the domain.
func (c *conjugation) evaluate() (scale float64) {
	c.strong = c.penalty.StrongConvexity()
	if c.strong == 0 && !c.knownDomain() {
		c.widen(c.u)
		c.uError = 0
	}
	scale, c.value = c.penalty.Conjugate(c.u)
	c.units = penalty.Units(c.penalty, len(c.u))
	c.bound = float64(c.units * unit * c.value)
	if c.strong == 0 {
		return c.insideDomain(scale)
	}
	uSize := norm(c.u)
	c.uError += float64(4 * unit * uSize)
	if c.uError > 0 {
		c.squares = float64(float64(len(c.u)+8) * 4 * tiny / c.strong)
	}
	c.bound += float64((uSize+c.uError)*c.uError/c.strong) + c.squares
	return scale
}

// sharpen makes the bound one of each feature by itself, where it is large against the value of
// the dual.
func (c *conjugation) sharpen(dual float64) {
	if c.strong > 0 && c.lambda*c.bound > coarse*math.Abs(dual) {
		c.widen(c.u)
		_, widest := c.penalty.Conjugate(c.u)
		c.bound = min(c.bound, widest-c.value+float64(c.units*2*unit*widest)+c.squares)
	}
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
func (c *conjugation) knownDomain() bool {
	l1, _, _ := penalty.Coefficients(c.penalty)
	_, coupled := c.penalty.(penalty.Coupled)
	return l1 >= 1 || coupled
}

// insideDomain returns the scale at which u, without its errors, is inside the domain.
func (c *conjugation) insideDomain(scale float64) float64 {
	coupled, ok := c.penalty.(penalty.Coupled)
	if !ok {
		return c.insideBox(scale)
	}
	reach := make([]float64, len(c.u))
	for j, x := range c.u {
		reach[j] = 8 * unit * math.Abs(x)
	}
	c.widen(reach)
	if scale = coupled.Within(c.u, reach) / (1 + 8*unit); scale < negligible {
		return 0
	}
	return scale
}

// insideBox returns the scale at which u is inside the domain of a conjugate that is finite on
// the unit box only, or was taken where each |u_j| is as large as it may be: with room for the
// error of u.
func (c *conjugation) insideBox(scale float64) float64 {
	room := 1 / (1 + float64(scale*c.uError))
	if room *= scale; room < (1-coarse)*scale {
		c.widen(c.u)
		scale, _ = c.penalty.Conjugate(c.u)
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
	norms := p.ColumnNorms()
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
