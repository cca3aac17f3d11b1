package problem

import (
	"math"
	"math/bits"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// A certificate of rows that are in several partitions. Each partition knows a part of the problem, [Linear.Within],
// and states a [Share]; [Whole.Certify] makes of all of them the certificate of [Linear.Certify], by the same theorem and with
// the rounding of the sums of shares counted. With a free bias the dual variables must sum to 0 exactly over all
// partitions: their multiples of one quantum, [Whole.Quantum], are whole numbers, of which each partition adds up its own,
// [Linear.Units]; then [Balance] says to which sum each partition is to bring them.

// Within returns the problem as a part of one whose row weights sum to n: the average loss of some rows is their share
// of that of all.
func (p *Linear) Within(n float64) *Linear {
	q := *p
	q.zero *= q.N / n
	q.N = n
	return &q
}

// Units are dual variables times row weights as whole multiples of a quantum, 2 to the power Quantum.
type Units struct {
	Quantum     int
	Plus, Minus uint64 // the sums of either sign
	v           []float64
}

// Sizes returns the sum of the magnitudes s_i |a_i| of dual variables clipped to their domain, and the largest.
func (p *Linear) Sizes(a []float64) (total, largest float64) {
	v := make([]float64, len(a))
	p.clip(v, a)
	return sizeOf(v, p.Threads)
}

// Units rounds dual variables, clipped to their domain, towards zero to multiples of a quantum. Where these would not
// fit 62 bits, all are taken for 0, which is in every domain.
func (p *Linear) Units(a []float64, quantum int) *Units {
	u := &Units{Quantum: quantum, v: make([]float64, len(a))}
	p.clip(u.v, a)
	if total, largest := sizeOf(u.v, p.Threads); !(math.Ldexp(total, -quantum) < 0x1p62) || !(math.Ldexp(largest, -quantum) < 0x1p53) {
		clear(u.v)
	}
	u.Plus, u.Minus = count(u.v, quantum, p.Threads)
	return u
}

// A Target is to which sums the units of a partition are to be brought: at most what they are.
type Target struct{ Plus, Minus uint64 }

// Balance returns the targets of partitions with such units: the sum over all partitions is 0 then. Each partition keeps
// about the same share of the heavier sign; where the sums do not fit a word, nothing is kept.
func Balance(partitions []Target) []Target {
	var plus, minus, over, under uint64
	for _, p := range partitions {
		var carry uint64
		plus, carry = bits.Add64(plus, p.Plus, 0)
		over += carry
		minus, carry = bits.Add64(minus, p.Minus, 0)
		under += carry
	}
	if over+under > 0 {
		return make([]Target, len(partitions))
	}
	targets := append([]Target(nil), partitions...)
	of := func(t *Target) *uint64 { return &t.Plus }
	heavy, light := plus, minus
	if plus < minus {
		of, heavy, light = func(t *Target) *uint64 { return &t.Minus }, minus, plus
	}
	if heavy == light {
		return targets
	}
	rest := light
	for k := range targets {
		high, low := bits.Mul64(*of(&targets[k]), light)
		*of(&targets[k]), _ = bits.Div64(high, low, heavy)
		rest -= *of(&targets[k])
	}
	for k := range targets {
		more := min(rest, *of(&partitions[k])-*of(&targets[k]))
		*of(&targets[k]) += more
		rest -= more
	}
	return targets
}

// A Share is what some of the rows add to a certificate.
type Share struct {
	Loss, LossError           float64   // of the average loss
	Conjugate, ConjugateError float64   // of the average conjugate
	Image                     []float64 // X^T v, followed by the sum of v, for v = s.a
	Chain                     int       // additions that a number of it went through one after another
	Magnitude                 float64   // at least the norm of sum_i |v_i||x_i|
	Norm                      float64   // |v|
}

// Share states the share of the rows at w, d+1 numbers, and dual variables a: with a free bias those of units that
// are brought to a target first, else clipped. The units are used up.
func (p *Linear) Share(w, a []float64, units *Units, target Target) *Share {
	s := &Share{}
	s.Loss, s.LossError = p.meanLoss(w)
	var v []float64
	if p.Bias == Free {
		v = units.v
		if target.Plus < units.Plus {
			shrink(v, 1, units.Plus, target.Plus, p.Threads)
		}
		if target.Minus < units.Minus {
			shrink(v, -1, units.Minus, target.Minus, p.Threads)
		}
		multiply(v, math.Ldexp(1, units.Quantum), p.Threads)
	} else {
		v = make([]float64, len(a))
		p.clip(v, a)
	}
	s.Image, s.Chain = p.Combine(v)
	s.Magnitude, s.Norm = p.magnitude(v), norm(v)
	s.Conjugate, s.ConjugateError = p.conjugates(v, 1)
	return s
}

// A Whole is what a problem is beside its rows, which are elsewhere.
type Whole struct {
	Risk    Risk // without targets and weights
	Penalty penalty.Penalty
	Norms   []float64 // of the columns and the constant one, d+1
}

// NewWhole is a problem of that many rows, counted by their weights.
func NewWhole(n float64, l loss.Loss, p penalty.Penalty, lambda float64, bias Bias, norms []float64) *Whole {
	return &Whole{Risk: Risk{N: n, Loss: l, Lambda: lambda, Bias: bias, one: 1}, Penalty: p, Norms: norms}
}

// WithZero returns the problem with that objective of the zero point.
func (p *Whole) WithZero(zero float64) *Whole {
	q := *p
	q.Risk.zero = zero
	return &q
}

// Zero returns the objective of the zero point.
func (p *Whole) Zero() float64 { return p.Risk.zero }

// Penalised returns how many of the d+1 numbers of a point the penalty sees.
func (p *Whole) Penalised() int { return p.Risk.penalised(len(p.Norms) - 1) }

// Quantum returns that of dual variables of which the partitions have those sizes.
func (p *Whole) Quantum(total, largest float64) int { return quantumOf(total, largest) }

// Certify joins the shares of all rows at w.
func (p *Whole) Certify(w []float64, shares []*Share) Certificate {
	all, primal, lossError := p.join(shares)
	of := Linear{Risk: p.Risk, Penalty: p.Penalty}
	cost, costError := of.cost(w)
	c := Certificate{Primal: primal + cost, Dual: math.Inf(-1), Zero: p.Zero(), Rounding: lossError + float64(8*unit*primal) + costError}
	c.without(p.Risk.Bias, w[len(w)-1])
	c.below(dualOf(all, p.Penalty, p.Risk.Lambda, p.Risk.N, nil, all.image[:p.Penalised()], all.chain))
	return c
}

// joined is what the dual needs to know of the dual variables of all rows.
type joined struct {
	image                     []float64
	chain                     int
	size, norm                float64
	conjugate, conjugateError float64
	norms                     []float64
}

// join adds up shares, in their order.
func (p *Whole) join(shares []*Share) (all *joined, primal, lossError float64) {
	all = &joined{image: make([]float64, len(p.Norms)), norms: p.Norms}
	var losses, errors, conjugates, conjugateErrors, sizes vec.Sum
	for _, s := range shares {
		vec.Axpy64(all.image, 1, s.Image)
		all.chain = max(all.chain, s.Chain)
		losses.Add(s.Loss)
		errors.Add(s.LossError)
		conjugates.Add(s.Conjugate)
		conjugateErrors.Add(s.ConjugateError + float64(8*unit*math.Abs(s.Conjugate)))
		sizes.Add(s.Magnitude)
		all.norm = math.Hypot(all.norm, s.Norm)
	}
	up := 1 + 8*unit // of sums of numbers >= 0
	all.chain += len(shares)
	all.size = up * sizes.Value()
	all.conjugate, all.conjugateError = conjugates.Value(), up*conjugateErrors.Value()
	return all, losses.Value(), up * errors.Value()
}

func (j *joined) magnitude([]float64) float64 { return j.size }

func (j *joined) widen(u, _ []float64, rounding, underflow float64) {
	size := float64(rounding * j.norm * (1 + 1e-5)) // the rounding of both norms
	for k, x := range u {
		u[k] = float64(math.Abs(x)*(1+8*unit)) + float64(size*j.norms[k]) + underflow
	}
}

// conjugates knows those of the dual variables as they are: strongly convex penalties leave them so.
func (j *joined) conjugates(_ []float64, scale float64) (value, bound float64) {
	if scale != 1 {
		return math.NaN(), 0
	}
	return j.conjugate, j.conjugateError
}
