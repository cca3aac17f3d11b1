package problem

import (
	"errors"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
)

// Kernel is the problem of a kernel machine, which predicts
// sum_j beta_j k(x_j,x) + b: that of a linear predictor with w = sum_j beta_j
// Phi(x_j) and half the squared norm as the penalty,
//
//	P(beta,b) = (1/N) sum_i s_i l_i((K beta)_i + b) + lambda/2 beta^T K beta
//	D(a)      = -(1/N) sum_i s_i l_i*(a_i) - lambda/2 beta^T K beta,  beta = -s.a/(lambda N)
//
// Its points have n coefficients beta as weights, and the bias. A bias of kind
// [Feature] adds lambda/2 b^2 to both, with b = -(sum_i s_i a_i)/(lambda N) in
// the dual.
//
// A kernel that is not positive semidefinite, or a loss that is not convex, makes
// the primal problem unbounded or not convex; its certificates have no dual.
type Kernel struct {
	*gram.Gram
	Risk
}

var (
	_ Problem       = (*Kernel)(nil)
	_ Interruptible = (*Kernel)(nil)
)

// NewKernel checks shapes and parameters, as NewLinear does.
func NewKernel(gram *gram.Gram, targets, weights []float64, l loss.Loss, lambda float64, bias Bias) (*Kernel, error) {
	risk, err := newRisk(gram.Len(), targets, weights, l, lambda, bias, gram.Threads())
	if err != nil {
		return nil, err
	}
	return &Kernel{Gram: gram, Risk: *risk}, nil
}

// Dims returns the number of rows twice: each gives the predictor a coefficient.
func (p *Kernel) Dims() (rows, cols int) { return p.Len(), p.Len() }

// Weights sets dst, n+1 numbers, to the coefficients that belong to dual
// variables, after these are clipped and balanced as Certify does it. The last
// number is the bias where the penalty sees it, and else is left as it is.
func (p *Kernel) Weights(dst, a []float64) {
	n := p.Len()
	p.feasible(dst[:n], a)
	factor := -1 / (p.Lambda * p.N)
	var sum vec.Sum
	for i, v := range dst[:n] {
		dst[i] = factor * v
		sum.Add(dst[i])
	}
	if p.Bias == Feature {
		dst[n] = sum.Value()
	}
}

// Certify judges the point as the package comment says. It costs as many values
// of the kernel, in double precision, as there are rows times coefficients that
// are not zero; twice as many when these are not those of the dual variables,
// as Weights gives them.
func (p *Kernel) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	n := p.Len()
	beta, bias := pt.W[:n], pt.W[n]
	responses := p.respond(beta)
	if p.Cut() {
		return unfinished(p.Zero())
	}
	primal, primalError := p.primal(responses, bias)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: primalError, Facts: p.facts(beta, bias, responses)}
	if f := c.Facts; f != nil {
		squared := max(0, responses.squared) + float64(p.Constant()*bias*bias)
		f.Norm, f.Losses = math.Sqrt(squared), max(0, float64(p.N*(primal-float64(p.Lambda/2*squared))))
	}
	c.without(p.Bias, bias)
	if !loss.IsConvex(p.Loss) || !p.Definite() || pt.A == nil {
		return c
	}
	v := make([]float64, n)
	p.feasible(v, pt.A)
	factor := -1 / (p.Lambda * p.N)
	same := true
	own := make([]float64, n)
	for i := range v {
		own[i] = factor * v[i]
		same = same && own[i] == beta[i]
	}
	negative := responses.negative
	if !same {
		responses = p.respond(own)
	}
	if p.Cut() {
		return c
	}
	if negative = negative || responses.negative; negative {
		c.Warnings = append(c.Warnings, errors.New("the kernel is not positive semidefinite: a predictor has a negative squared norm"))
		return c
	}
	c.below(p.dual(v, responses))
	return c
}

// A response is K beta, and what is known of its accuracy.
type response struct {
	value   []float64 // K beta
	error   []float64 // bounds on how far each of these is off
	squared float64   // beta^T K beta
	bound   float64   // bound of the error of that
	sum     float64   // sum of beta
	size    float64   // sum of the magnitudes of beta
	// beta^T K beta is below 0 by more than rounding: K is no inner product, whatever
	// a program's own kernel says of itself, and there is no dual.
	negative bool
}

// respond computes K beta. A value of the kernel is off by its Error, and with
// the sizes |K_ij| <= sqrt(K_ii K_jj) the summation by chain roundings.
func (p *Kernel) respond(beta []float64) response {
	n := p.Len()
	r := response{value: make([]float64, n), error: make([]float64, n)}
	magnitude, chain := p.combine(r.value, beta)
	var size, norm, sum vec.Sum
	most := 0.0
	for j, b := range beta {
		if b != 0 {
			size.Add(math.Abs(b))
			norm.Add(float64(math.Abs(b)*math.Sqrt(math.Abs(p.Diagonal[j]))) + tiny)
			most = max(most, p.SquaredNorm[j])
			sum.Add(b)
		}
	}
	r.sum, r.size = sum.Value(), size.Value()
	underflow := 0.0 // of each place
	if r.size > 0 {
		underflow = float64(float64(n+8) * tiny) // of each product
	}
	for i := range beta {
		each := p.Kernel.Error(p.Terms, p.SquaredNorm[i], most) + lost
		values := float64(each * r.size)
		own := math.Abs(beta[i]) // of the value of a row with itself
		// |K_ij| is at most sqrt(K_ii K_jj) and each's own error.
		terms := float64(norm.Value()*math.Sqrt(math.Abs(p.Diagonal[i]))) + values
		if magnitude != nil && r.size > 0 {
			near, far := p.Kernel.(kernel.Decaying).Ratios(p.Terms, p.SquaredNorm[i], most)
			terms = magnitude[i]*(1+float64(float64(chain+8)*2*unit)) + underflow
			others, size := terms, r.size
			if p.Diagonal[i] == 1 { // which is exact
				others, size = max(0, terms-own), max(0, r.size-own)+float64(8*unit*r.size)
			}
			values = min(float64(each*size), float64(near*others)+float64(0x1p-50*size), float64(far*others)+float64(kernel.Vanishing*size))
		}
		r.error[i] = (values+float64(float64(chain+8)*unit*terms))*(1+64*unit) + underflow
	}
	p.square(&r, beta)
	return r
}

// square sets beta^T K beta, and the bound on its error.
func (p *Kernel) square(r *response, beta []float64) {
	var squared, bound, largest vec.Sum
	for i, b := range beta {
		if b != 0 {
			squared.Add(b * r.value[i])
			bound.Add(math.Abs(b)*(r.error[i]+float64(4*unit*math.Abs(r.value[i]))) + 4*tiny)
			largest.Add(math.Abs(b * r.value[i]))
		}
	}
	r.bound = float64(bound.Value()*(1+64*unit)) + float64(float64(len(beta))*unit*unit*largest.Value())
	r.squared = squared.Value()
	r.negative = r.squared < -r.bound
	if r.squared < 0 && p.Definite() {
		r.squared = 0
	}
}

// combine sets dst = K beta, off by chain roundings of |K| |beta|. Of kernels whose values are
// never negative it returns that too: the coefficients of either sign are summed apart, which
// takes no more values of the kernel.
func (p *Kernel) combine(dst, beta []float64) (magnitude []float64, chain int) {
	if _, positive := p.Kernel.(kernel.Decaying); !positive {
		return nil, p.Combine(dst, beta)
	}
	above, below := make([]float64, len(beta)), make([]float64, len(beta))
	for j, b := range beta {
		above[j], below[j] = max(b, 0), max(-b, 0)
	}
	magnitude = make([]float64, len(beta))
	chain = max(p.Combine(dst, above), p.Combine(magnitude, below)) + 1
	for i, v := range magnitude {
		dst[i], magnitude[i] = dst[i]-v, dst[i]+v
	}
	return magnitude, chain
}

// primal returns the objective for given responses, and a bound on the error
// of that computation.
func (p *Kernel) primal(r response, bias float64) (value, bound float64) {
	n := p.Len()
	errs := make([]float64, blocksOf(n))
	losses := sumBlocks(n, p.threads, func(b, lo, hi int) (sum float64) {
		s := scratches.Get().(*scratch)
		defer scratches.Put(s)
		for k := range hi - lo {
			s[0][k] = r.value[lo+k] + bias
			s[3][k] = r.error[lo+k] + float64(2*unit*(math.Abs(r.value[lo+k])+math.Abs(bias)))
			if r.value[lo+k] == 0 && r.error[lo+k] == 0 && bias == p.Y[lo+k] {
				s[3][k] = 0 // the bias is the response
			}
		}
		sum, errs[b] = p.lossesOf(s, lo, hi)
		return sum
	}) / p.N
	half := p.Lambda / 2
	cost := float64(half * (r.squared + float64(p.Constant()*bias*bias)))
	bound = sumBound(errs)/p.N + float64(8*unit*(losses+cost)) + float64(half*r.bound)
	if r.size > 0 || p.Constant()*bias != 0 {
		bound += float64(half*8*tiny) + 8*tiny
	}
	return losses + cost, bound
}

// dual returns the dual objective for the feasible v = s.a and the responses of
// its coefficients, and a bound on the error.
func (p *Kernel) dual(v []float64, r response) (value, bound float64) {
	conjugates, conjugateError := p.conjugates(v, 1)
	half := p.Lambda / 2
	// The coefficients are off by two roundings, each as a multiple of itself, and where
	// they underflow by tiny.
	squared := r.squared + float64(p.Constant()*r.sum*r.sum)
	total, sizes, underflow := 0.0, 0.0, 0.0
	for i, x := range v {
		if x != 0 {
			total += float64(math.Abs(x) * math.Abs(r.value[i]))
			sizes += math.Abs(r.value[i]) + r.error[i] + float64(p.Constant()*math.Abs(r.sum))
			underflow = 8 * tiny
		}
	}
	drift := float64(8 * unit * (total/p.N + float64(half*squared) + float64(p.Lambda*p.Constant()*math.Abs(r.sum)*r.size)))
	value = -conjugates - float64(half*squared)
	underflow += float64(p.Lambda * (float64(4*tiny*sizes) + underflow))
	return value, conjugateError + float64(half*r.bound) + drift + float64(8*unit*math.Abs(value)) + underflow
}

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
