package problem

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
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
	*kernel.Gram
	Risk
	Radius float64
}

var _ Problem = (*NormConstrained)(nil)

// NewNormConstrained checks shapes and parameters, as NewKernel does.
func NewNormConstrained(gram *kernel.Gram, targets, weights []float64, l loss.Loss, radius float64, bias Bias) (*NormConstrained, error) {
	if !(radius > 0) || math.IsInf(radius, 1) {
		return nil, fmt.Errorf("problem: radius=%g: expected a number > 0", radius)
	}
	risk, err := newRisk(gram.Len(), targets, weights, l, 1, bias, gram.Threads())
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
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero()}
	c.without(p.Bias, bias)
	if !p.Definite() || pt.A == nil {
		return c
	}
	v := make([]float64, n)
	p.feasible(v, pt.A)
	conjugates, conjugateError := p.conjugates(v, 1)
	if r = machine.respond(v); p.Cut() {
		return c
	}
	size := math.Sqrt(r.size2(p.Constant() * r.sumBound() * r.sumBound()))
	dual := -conjugates - float64(float64(p.Radius*size)/p.N)
	if d := dual - (conjugateError + primalError + float64(16*unit*math.Abs(dual-conjugates))); !math.IsNaN(d) && !math.IsInf(d, 1) {
		c.Dual = d
	}
	return c
}

// insideBall returns how much of a vector is inside of the ball, all or a part;
// its squared norm is at most squared. Of one whose norm is no number nothing is
// known.
func insideBall(radius, squared float64) float64 {
	if math.IsInf(squared, 1) {
		return math.NaN()
	}
	if size := math.Sqrt(squared); size > radius {
		return float64(radius/size) * (1 - 8*unit)
	}
	return 1
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
		r.error[i] = float64(by*r.error[i]) + float64(4*unit*math.Abs(v))
	}
	r.squared *= float64(by * by)
	r.bound = float64(r.bound*by*by) + float64(8*unit*r.squared)
}
