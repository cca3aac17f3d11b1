package engine

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// scaleFor multiplies the iterate by the s >= 0 for which the objective of p,
// with the best bias if that is free, is least. Signs of predictions do not
// see it, but the objective does.
//
// The objective is convex in s, and at most that of s = 0 where
// lambda/2 s^2 |w|^2 <= P(0): the section of that interval that holds the least
// value shrinks by the golden ratio.
func (it *iterate) scaleFor(p *problem.Kernel) { it.scaleIn(p, 60) }

// scaleIn is scaleFor in so many steps, each of which takes 38 % off the section: with a
// free bias they take long.
func (it *iterate) scaleIn(p *problem.Kernel, steps int) {
	if !(it.squared > 0) {
		it.fitBias(p)
		return
	}
	free := *it
	free.w, free.responses = make([]float64, len(it.w)), make([]float64, len(it.responses))
	value := func(s float64) float64 {
		for i, r := range it.responses {
			free.responses[i] = s * r
		}
		free.w[len(free.w)-1] = 0
		free.fitBias(p)
		return risk(&p.Risk, free.responses) + float64(p.Lambda/2*s*s*it.squared)
	}
	const golden = 0.6180339887498949
	lo, hi := 0.0, math.Sqrt(2*p.Zero()/(p.Lambda*it.squared))
	l, r := hi-float64(golden*(hi-lo)), lo+float64(golden*(hi-lo))
	atL, atR := value(l), value(r)
	for range steps {
		if atL <= atR {
			hi, r, atR = r, l, atL
			l = hi - float64(golden*(hi-lo))
			atL = value(l)
		} else {
			lo, l, atL = l, r, atR
			r = lo + float64(golden*(hi-lo))
			atR = value(r)
		}
	}
	it.multiply((lo + hi) / 2)
	it.fitBias(p)
}

// fitBias sets a free bias to its best value, in the responses too.
func (it *iterate) fitBias(p *problem.Kernel) {
	if p.Bias != problem.Free {
		return
	}
	b := p.BestBias(it.responses, 0, 1e-12)
	it.w[len(it.w)-1] = b
	for i := range it.responses {
		it.responses[i] += b
	}
}
