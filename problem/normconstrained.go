package problem

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// NormConstrained is the problem of a kernel machine of bounded norm (thesis
// 1.4), which predicts sum_j beta_j k(x_j,x) + b as [Kernel] does:
//
//	P(beta,b) = (1/N) sum_i s_i l_i((K beta)_i + b)  subject to  |w| <= R
//	D(a)      = -(1/N) sum_i s_i l_i*(a_i) - R |w(s.a)|/N
//
// with |w(beta)|^2 = beta^T K beta. A bias of kind [Feature] is a part of w; a
// free bias adds the constraint sum_i s_i a_i = 0.
//
// A point whose w is outside of the ball stands for the nearest one inside.
type NormConstrained struct {
	*gram.Gram
	Risk
	Radius float64
}

var (
	_ Problem       = (*NormConstrained)(nil)
	_ Bounded       = (*NormConstrained)(nil)
	_ Interruptible = (*NormConstrained)(nil)
)

// NewNormConstrained checks shapes and parameters, as NewKernel does.
func NewNormConstrained(gram *gram.Gram, targets, weights []float64, l loss.Loss, radius float64, bias Bias) (*NormConstrained, error) {
	if !(radius >= least && radius <= most) {
		return nil, fmt.Errorf("problem: radius=%g: expected a number from %g to %g", radius, least, most)
	}
	risk, err := newConvexRisk(gram.Len(), targets, weights, l, 1, bias, gram.Threads())
	if err != nil {
		return nil, err
	}
	risk.Lambda = 0 // there is no penalty
	return &NormConstrained{Gram: gram, Risk: *risk, Radius: radius}, nil
}

// Dims returns the number of rows twice: each gives the predictor a coefficient.
func (p *NormConstrained) Dims() (rows, cols int) { return p.Len(), p.Len() }

// Certify judges the point as the type's comment says. It costs n evaluations of
// the kernel, in double precision, for every coefficient that is not zero, and
// for every dual variable that is not.
func (p *NormConstrained) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	machine := &Kernel{Gram: p.Gram, Risk: p.Risk}
	n := p.Len()
	r, bias := machine.respond(pt.W[:n]), pt.W[n]
	if p.Cut() {
		return unfinished(p.Zero())
	}
	if inside := insideBall(p.Radius, r.size2(p.Constant()*bias*bias)); inside != 1 {
		r.shrink(inside)
		if p.Bias == Feature {
			bias *= inside
		}
	}
	primal, primalError := machine.primal(r, bias)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: primalError}
	c.without(p.Bias, bias)
	if !p.Definite() || pt.A == nil {
		return c
	}
	v := make([]float64, n)
	p.feasible(v, pt.A)
	conjugates, conjugateError := p.conjugates(v, 1)
	cost := p.longest(machine, v)
	if p.Cut() {
		return c
	}
	c.below(-conjugates-cost, conjugateError+float64(16*unit*(math.Abs(conjugates)+cost)))
	return c
}

// longest returns a bound on R |w(v)|/N. The squares would underflow where the dual
// variables are small, and a root makes much of what is lost: they are brought to an
// ordinary size first, by a power of two.
func (p *NormConstrained) longest(machine *Kernel, v []float64) float64 {
	scaled := make([]float64, len(v))
	exponent := scaleTo(scaled, v, largestOf(v))
	r := machine.respond(scaled)
	if r.size == 0 {
		return 0
	}
	size, sizeExponent := math.Frexp(math.Sqrt(r.size2(p.Constant() * r.sumBound() * r.sumBound())))
	radius, radiusExponent := math.Frexp(p.Radius)
	sum, sumExponent := math.Frexp(p.N)
	return math.Ldexp(radius*size/sum, exponent+sizeExponent+radiusExponent-sumExponent) + 2*tiny
}

// size2 is a bound on the squared norm, to which a constant column adds some.
func (r *response) size2(constant float64) float64 {
	return (r.squared + r.bound + float64(constant)) * (1 + 8*unit)
}

// sumBound is a bound on the magnitude of the sum of the coefficients.
func (r *response) sumBound() float64 { return math.Abs(r.sum) + float64(4*unit*r.size) }

// shrink multiplies the coefficients.
func (r *response) shrink(by float64) {
	for i, v := range r.value {
		r.value[i] = by * v
		r.error[i] = float64(by*r.error[i]) + float64(4*unit*math.Abs(r.value[i])) + 4*tiny
	}
	r.squared *= float64(by * by)
	r.bound = float64(r.bound*by*by) + float64(8*unit*r.squared) + 4*tiny
}

// Bounded is a problem whose weights lie in a ball. Its certificates are of the point
// brought inside, whatever point they are asked of: Inside returns that point, w itself
// where it is one. A vector whose norm is no number is returned as it is.
type Bounded interface {
	Problem
	Inside(w []float64) []float64
}

// Inside scales w, and with it a bias that is a feature, into the ball that the penalty is of; w where it
// is of none.
func (p *Linear) Inside(w []float64) []float64 {
	k := p.Penalised()
	ball, ok := p.Penalty.(penalty.Confined)
	if !ok || p.Penalty.Value(w[:k]) == 0 || !(largestOf(w) <= math.MaxFloat64) {
		return w
	}
	inside := append([]float64(nil), w...)
	ball.Shorten(inside[:k])
	return inside
}

// Inside scales w, and with it a bias that is a part of it.
func (p *NormConstrained) Inside(w []float64) []float64 {
	n, cols := p.Len(), p.Len()
	if p.Bias == Feature {
		cols++
	}
	return shorten(w, cols, func(w []float64) float64 {
		r := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(w[:n])
		return insideBall(p.Radius, r.size2(p.Constant()*w[n]*w[n]))
	})
}

// shorten scales the first cols numbers of w until all of it is inside. Where coefficients cancel, as
// those of equal rows do, much of a norm is rounding, and scaled ones have another: every further
// step is larger.
func shorten(w []float64, cols int, inside func(w []float64) float64) []float64 {
	for step := unit; ; step *= 2 {
		by := inside(w)
		if by == 1 || math.IsNaN(by) {
			return w
		}
		scaled := times(w, by*max(0.5, 1-step))
		copy(scaled[cols:], w[cols:])
		w = scaled
	}
}

// times returns factor times w, or w itself where the factor is 1 or no number.
func times(w []float64, factor float64) []float64 {
	if factor == 1 || math.IsNaN(factor) {
		return w
	}
	scaled := make([]float64, len(w))
	for j, x := range w {
		scaled[j] = factor * x
	}
	return scaled
}

// insideBall returns how much of a vector is inside of the ball, all or a part;
// its squared norm is at most squared. Of one whose norm is no number nothing is
// known.
func insideBall(radius, squared float64) float64 {
	if !(squared <= math.MaxFloat64) {
		return math.NaN()
	}
	if size := math.Sqrt(squared); size > radius {
		return float64(radius/size) * (1 - 8*unit)
	}
	return 1
}
