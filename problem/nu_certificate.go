package problem

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Certify judges the point as the type's comment says. It costs as much as that of
// [Kernel].
//
// The sums of the dual variables are right up to rounding only. For the levels at
// the optimum, rho, the Lagrange function is off by |rho| times that; and they are
// among the values t_i - f_i there, at most max |t| + |w| max |Phi(x_i)|.
func (p *Nu) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	n := p.Len()
	machine := &Kernel{Gram: p.Gram}
	r := machine.respond(pt.W[:n])
	if p.Cut() {
		return unfinished(p.zero)
	}
	primal, primalError := p.primal(r, pt.W[n])
	c := Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.zero, Rounding: primalError, Facts: p.facts(pt.W[:n], pt.W[n], r)}
	if !p.Definite() || pt.A == nil {
		return c
	}
	v := make([]float64, n)
	off := p.feasible(v, pt.A)
	own := make([]float64, n)
	for i, x := range v {
		own[i] = x / p.Lambda
	}
	if !slices.Equal(own, pt.W[:n]) {
		r = machine.respond(own)
	}
	if p.Cut() {
		return c
	}
	dual, dualError := p.dual(v, r)
	c.below(dual, dualError+float64(off*p.farthest())+4*tiny)
	return c
}

// farthest is a bound on the magnitude of the levels at the optimum.
func (p *Nu) farthest() float64 {
	most := 0.0
	for _, t := range p.Targets {
		most = max(most, math.Abs(t))
	}
	return (most + float64(p.norm()*math.Sqrt(p.largest()))) * (1 + 8*unit)
}

// dual returns the dual objective for the responses of v/lambda, and a bound on the
// error, for which v may be off by four roundings.
func (p *Nu) dual(v []float64, r response) (value, bound float64) {
	var sum vec.Sum
	size, sizes := 0.0, 0.0
	for i, x := range v {
		sum.Add(x * p.Targets[i])
		size += float64(math.Abs(x) * (math.Abs(p.Targets[i]) + math.Abs(r.value[i])))
		sizes += math.Abs(r.value[i]) + r.error[i] + 4
	}
	half := p.Lambda / 2
	value = sum.Value() - float64(half*r.squared)
	underflow := float64(p.Lambda*float64(4*tiny*sizes)) + float64(8*tiny*float64(len(v)))
	return value, float64(half*r.bound) + float64(16*unit*(size+float64(half*r.squared)+math.Abs(value))) + underflow
}

// primal returns the objective for responses, and a bound on its error.
func (p *Nu) primal(r response, bias float64) (value, bound float64) {
	level := p.Level(r.value, bias)
	half := p.Lambda / 2
	cost := float64(half * r.squared)
	var sum vec.Sum
	sum.Add(cost)
	size := cost
	for side, s := range p.Sides {
		rho := level - float64(sign(side)*bias)
		sum.Add(-s.Mass * rho)
		size += float64(s.Mass * math.Abs(rho))
		for i, c := range s.Cap {
			if c == 0 {
				continue
			}
			short := rho + float64(sign(side)*(p.Targets[i]-r.value[i]))
			off := r.error[i] + float64(4*unit*(math.Abs(level)+math.Abs(bias)+math.Abs(p.Targets[i])+math.Abs(r.value[i]))) + 4*tiny
			if !(short <= -off) { // nor where nothing is known of the error
				sum.Add(c * max(0, short))
				bound += float64(c*off) + 8*tiny
				size += float64(c * math.Abs(short))
			}
		}
	}
	return sum.Value(), float64(bound*(1+float64(float64(p.Len()+8)*2*unit))) + float64(half*r.bound) + float64(16*unit*size) + float64(p.Lambda*8*tiny) + 8*tiny
}

// Level returns the best rho for responses f = K beta and a bias, which is -epsilon
// in a regression: the quantile at nu of the margins, or of -|y - f - b|. For one class
// rho is -b, and the level is what is left of it, 0.
func (p *Nu) Level(f []float64, bias float64) float64 {
	if p.OneClass() {
		return 0
	}
	var c, weight []float64
	for side, s := range p.Sides {
		for i, w := range s.Cap {
			if w > 0 {
				c = append(c, float64(sign(side)*(f[i]-p.Targets[i]))+float64(sign(side)*bias))
				weight = append(weight, w)
			}
		}
	}
	return Quantile(c, weight, p.Sides[0].Mass+p.Sides[1].Mass)
}

// Bias returns the best bias for responses f = K beta, with the best level: rho+ and
// rho- are quantiles of the values of either side.
func (p *Nu) Bias(f []float64) float64 {
	var rho [2]float64
	for side, s := range p.Sides {
		var c, weight []float64
		for i, w := range s.Cap {
			if w > 0 {
				c, weight = append(c, sign(side)*(f[i]-p.Targets[i])), append(weight, w)
			}
		}
		rho[side] = Quantile(c, weight, s.Mass)
	}
	if p.OneClass() {
		return -rho[0]
	}
	return (rho[1] - rho[0]) / 2
}

// Quantile returns a c_k at which -mass rho + sum_i weight_i max(0, rho - c_i) is least:
// the first, in order, up to which the weights add up to mass. 0 if there are none.
func Quantile(c, weight []float64, mass float64) float64 {
	order := make([]int, len(c))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(c[i], c[j]), i-j) })
	value := 0.0
	var sum vec.Sum
	for _, i := range order {
		sum.Add(weight[i])
		if value = c[i]; sum.Value() >= mass*(1-16*unit) {
			break
		}
	}
	return value
}
