package problem

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/loss"
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
	if _, ok := c.penalty.(penalty.Nonnegative); ok {
		for j, x := range c.u {
			c.u[j] = max(0, x) // a negative u_j adds nothing to the conjugate; without them it grows with each |u_j|, as widen assumes
		}
	}
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
	l1, _, _, _ := penalty.Corners(c.penalty)
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

// Located is a problem whose optima are near every point with a small gap, as its penalty is strongly convex.
type Located interface {
	Problem
	// Radius bounds |w - w*| for the weights w of the point and those w* of every optimum, in the norm of what the
	// penalty sees; of a kernel machine that is the norm of its space. gap is at least P - D, the values of the point. It
	// is +Inf where nothing is known.
	Radius(pt Point, gap float64) float64
}

var _, _, _, _ Located = (*Linear)(nil), (*Kernel)(nil), (*Joint)(nil), (*JointKernel)(nil)

// Radius is that of [Located]. With mu the strong convexity of the penalty, w' the weights that belong to the dual point
// and G the gap,
//
//	P(w) - P(w*) >= (lambda mu/2) |w - w*|^2  and  P(w*) - D >= (lambda mu/2) |w' - w*|^2,
//
// so that w* is in the ball around (w + w')/2 of squared radius G/(lambda mu) - |w - w'|^2/4.
func (p *Linear) Radius(pt Point, gap float64) float64 {
	mu := p.Penalty.StrongConvexity()
	strong, ok := p.Penalty.(penalty.Strong)
	if !ok || pt.A == nil {
		return radius(gap/(p.Lambda*mu), math.Inf(1))
	}
	u, off := p.DualWeights(pt.A)
	strong.Weights(u, u)
	units := (penalty.Units(p.Penalty, len(u)) + 8) * unit
	off = off/mu + float64(units*norm(u)) + float64(units*norm(pt.W))
	for j := range u {
		u[j] -= pt.W[j]
	}
	return radius(gap/(p.Lambda*mu), norm(u)*(1+units)+off)
}

// DualWeights returns u = -X^T(s.a)/(lambda N) of the feasible dual point made of a, of what the penalty sees, and a bound on the norm of its error. With
// the penalty l2 these are the weights that belong to the point.
func (p *Linear) DualWeights(a []float64) (u []float64, off float64) {
	_, d := p.Dims()
	v, u := make([]float64, len(a)), make([]float64, d+1)
	p.feasible(v, a)
	chain := p.combine(u, v)
	u = u[:p.Penalised()]
	factor := -1 / (p.Lambda * p.N)
	for j := range u {
		u[j] *= factor
	}
	_, _, off = roundingsOf(chain, -factor, p.magnitude(v), len(u))
	return u, off
}

// Radius is that of [Located] for coefficients that are those of the dual variables, else that of the gap alone.
func (p *Kernel) Radius(pt Point, gap float64) float64 {
	if !loss.IsConvex(p.Loss) || !p.Definite() {
		return math.Inf(1)
	}
	distance := math.Inf(1)
	if pt.A != nil {
		own := make([]float64, len(pt.W))
		own[len(own)-1] = pt.W[len(own)-1]
		if p.Weights(own, pt.A); slices.Equal(own, pt.W) {
			size := 0.0
			for i, beta := range own[:p.Len()] {
				size += math.Abs(beta) * math.Sqrt(math.Abs(p.Diagonal[i])+p.Constant())
			}
			distance = float64(float64(p.Len()+8) * unit * size) // a coefficient is off by two roundings, their sum by more
		}
	}
	return radius(gap/p.Lambda, distance)
}

// Radius is that of [Located], in the norm of the weights of all classes together.
func (p *Joint) Radius(_ Point, gap float64) float64 {
	return radius(gap/(p.Lambda*p.Penalty.StrongConvexity()), math.Inf(1))
}

// Radius is that of [Located], in the norm of all classes together.
func (p *JointKernel) Radius(_ Point, gap float64) float64 {
	if !p.Definite() {
		return math.Inf(1)
	}
	return radius(gap/p.Lambda, math.Inf(1))
}

// radius returns the largest distance from w to a point of the ball of [Linear.Radius], which grows with |w - w'|, itself
// at most sqrt(2 share). share is G/(lambda mu).
func radius(share, distance float64) float64 {
	if !(share >= 0) || math.IsInf(share, 1) {
		return math.Inf(1)
	}
	share *= 1 + 16*unit
	distance = min(distance, math.Sqrt(2*share))
	return (distance/2 + math.Sqrt(max(0, share-float64(distance*distance/4)))) * (1 + 16*unit)
}
