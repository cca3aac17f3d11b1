package problem

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// JointKernel is the problem of K kernel machines, one for each class, that one loss judges
// together: [Joint] with the columns w_k = sum_j beta_jk Phi(x_j) and half the sum of their
// squared norms as the penalty,
//
//	P(beta,b) = (1/N) sum_i s_i l((K beta)_i + b, y_i) + lambda/2 sum_k beta_k^T K beta_k
//	D(A)      = -(1/N) sum_i s_i l*(a_i, y_i) - lambda/2 sum_k beta_k^T K beta_k,  beta = -s.A/(lambda N)
//
// Points have (n+1) x K numbers: the coefficients row by row, then the K biases.
type JointKernel struct {
	*gram.Gram
	JointRisk
}

var (
	_ Problem       = (*JointKernel)(nil)
	_ Interruptible = (*JointKernel)(nil)
)

// NewJointKernel checks shapes and parameters, as NewJoint does.
func NewJointKernel(gram *gram.Gram, y []uint32, classes int, weights []float64, l joint.Loss, lambda float64, bias Bias) (*JointKernel, error) {
	risk, err := newJointRisk(gram.Len(), y, classes, weights, l, lambda, bias, gram.Threads())
	if err != nil {
		return nil, err
	}
	return &JointKernel{Gram: gram, JointRisk: *risk}, nil
}

// Dims returns n K and (n+1) K - 1.
func (p *JointKernel) Dims() (rows, cols int) {
	n := p.Len() * p.Classes
	return n, n + p.Classes - 1
}

// Weights sets dst, (n+1) x K, to the coefficients that belong to dual variables, after these
// are moved and balanced as Certify does it. The last K numbers are the biases where the
// penalty sees them, and else are left as they are.
func (p *JointKernel) Weights(dst, a []float64) {
	n, k := p.Len(), p.Classes
	p.feasible(dst[:n*k], a)
	factor := -1 / (p.Lambda * p.N)
	sums := make([]vec.Sum, k)
	for i, v := range dst[:n*k] {
		dst[i] = factor * v
		sums[i%k].Add(dst[i])
	}
	if p.Bias == Feature {
		for c := range sums {
			dst[n*k+c] = sums[c].Value()
		}
	}
}

// column returns what belongs to class c of numbers by row.
func column(all []float64, c, k int) []float64 {
	out := make([]float64, len(all)/k)
	for i := range out {
		out[i] = all[i*k+c]
	}
	return out
}

// respond returns the responses of each class.
func (p *JointKernel) respond(beta []float64) []response {
	one := &Kernel{Gram: p.Gram}
	out := make([]response, p.Classes)
	for c := range out {
		out[c] = one.respond(column(beta, c, p.Classes))
	}
	return out
}

// Responses sets dst, n x K, to the predictions of a point in double precision.
func (p *JointKernel) Responses(dst, w []float64) {
	n, k := p.Len(), p.Classes
	for c := range k {
		f := make([]float64, n)
		p.Combine(f, column(w[:n*k], c, k))
		for i, x := range f {
			dst[i*k+c] = x + w[n*k+c]
		}
	}
}

// Certify judges the point as [Kernel.Certify] does, at the cost of K times as many values of
// the kernel.
func (p *JointKernel) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	n, k := p.Len(), p.Classes
	beta, bias := pt.W[:n*k], pt.W[n*k:]
	responses := p.respond(beta)
	if p.Cut() {
		return unfinished(p.Zero())
	}
	primal, primalError := p.primal(responses, bias)
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: primalError}
	if most := largestOf(bias); most != 0 {
		c.without(p.Bias, most)
	}
	if !p.Definite() || pt.A == nil {
		return c
	}
	v, own, same := make([]float64, n*k), make([]float64, n*k), true
	p.feasible(v, pt.A)
	for i, x := range v {
		own[i] = -1 / (p.Lambda * p.N) * x
		same = same && own[i] == beta[i]
	}
	negative := anyNegative(responses)
	if !same {
		responses = p.respond(own)
	}
	if p.Cut() {
		return c
	}
	if negative || anyNegative(responses) {
		c.Warnings = append(c.Warnings, errors.New("the kernel is not positive semidefinite: a predictor has a negative squared norm"))
		return c
	}
	c.below(p.dual(v, responses))
	return c
}

func anyNegative(responses []response) bool {
	for _, r := range responses {
		if r.negative {
			return true
		}
	}
	return false
}

// primal returns the objective for given responses, and a bound on its error.
func (p *JointKernel) primal(r []response, bias []float64) (value, bound float64) {
	n, k := p.Len(), p.Classes
	errs := make([]float64, blocksOf(n))
	losses := sumBlocks(n, p.threads, func(b, lo, hi int) (sum float64) {
		prediction, reach := make([]float64, (hi-lo)*k), make([]float64, hi-lo)
		for i := lo; i < hi; i++ {
			for c := range k {
				f := r[c].value[i] + bias[c]
				prediction[(i-lo)*k+c] = f
				reach[i-lo] = max(reach[i-lo], r[c].error[i]+float64(2*unit*(math.Abs(r[c].value[i])+math.Abs(bias[c]))))
			}
		}
		sum, errs[b] = p.lossesOf(prediction, reach, lo, hi)
		return sum
	}) / p.N
	half := p.Lambda / 2
	cost, costError := 0.0, 0.0
	for c := range k {
		cost += float64(half * (r[c].squared + float64(p.Constant()*bias[c]*bias[c])))
		costError += float64(half * r[c].bound)
	}
	bound = sumBound(errs)/p.N + float64(float64(k+8)*unit*(losses+math.Abs(cost))) + costError
	return losses + cost, bound + float64(float64(k)*(float64(half*8*tiny)+8*tiny))
}

// dual returns the dual objective for the feasible v and the responses of its coefficients, and
// a bound on the error: see [Kernel.dual]. The numbers of the rows' own classes are off by K
// roundings more.
func (p *JointKernel) dual(v []float64, r []response) (value, bound float64) {
	k := p.Classes
	conjugates, bound := p.conjugates(v, 1)
	half := p.Lambda / 2
	cost := 0.0
	units := float64(k+8) * unit
	for c := range k {
		squared := r[c].squared + float64(p.Constant()*r[c].sum*r[c].sum)
		total, sizes := 0.0, 0.0
		for i, f := range r[c].value {
			if x := v[i*k+c]; x != 0 {
				total += float64(math.Abs(x) * (math.Abs(f) + r[c].error[i]))
				sizes += math.Abs(f) + r[c].error[i] + float64(p.Constant()*math.Abs(r[c].sum))
			}
		}
		cost += float64(half * squared)
		drift := total/p.N + float64(half*math.Abs(squared)) + float64(p.Lambda*p.Constant()*math.Abs(r[c].sum)*r[c].size)
		bound += float64(half*r[c].bound) + float64(2*units*drift) + float64(p.Lambda*(float64(4*tiny*sizes)+8*tiny)) + 8*tiny
	}
	value = -conjugates - cost
	return value, bound + float64(units*(math.Abs(conjugates)+math.Abs(cost)))
}
