package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/ramp"
)

// How far to go. The textbook goes 0.99 of the way to where the first variable
// becomes 0, all together. Among ten thousands of ramps there is always one
// that is in the way: steps of 0.2 to 0.4. Here the weights go further, and the ramps
// that would leave their bounds stop at the part of the way given below, as long
// as the slopes that are lost so are a small share of all that move: the
// equations that these ramps then miss are part of the next right-hand side.
// That takes half to two thirds of the epochs. Since no theorem covers it, a run that has
// not ended after carefulAfter epochs goes on by the textbook.
//
// Rejected: Gondzio's further correctors, which gain less and cost more; to put ramps that
// would leave their bounds on the central path at their new place, which takes ten times
// as many epochs; larger parts, with which short steps follow.
const (
	wholePart    = 0.99 // for all together
	singlePart   = 0.6  // for each alone
	largestShare = 0.3  // of the slopes that may be lost
	carefulAfter = 60   // epochs
)

// shares are the steps that are tried.
var shares = [ramp.Steps]float64{1, 0.7, 0.49, 0.343, 0.24}

// together returns the longest step, at most 1, within which no variable loses
// more than wholePart of itself, if loses is the most that one loses in 1.
func together(loses float64) float64 { return min(1, wholePart/max(loses, 1e-300)) }

// target makes the predictor's step of the predictions, and returns m' after it: m
// times the cube of the share of m that the predictor would leave, which is the
// geometric mean of what it leaves when all ramps go together and when each goes
// alone. Together, each product becomes
//
//	(a + t da)(r + t dr) = (1-t) a r + t^2 da dr
func (s *interior) target() float64 {
	p := sumBlocks(s, func(b rows, sum *ramp.Predicted) {
		s.predict(s.before, b)
		for k := range s.ramps {
			sum.Add(s.ramps[k].of(b).Predict(singlePart))
		}
	})
	if s.columns != nil {
		p.Add(s.columns.predict(s.d))
	}
	t := together(p.Loses)
	left, alone := (float64((1-t)*p.Now)+float64(t*t*p.Second))/s.count, p.Alone/s.count
	if s.epoch < carefulAfter {
		left = math.Sqrt(max(left, 0) * alone)
	}
	ratio := min(1, max(left, 0)/s.mean)
	return s.mean * ratio * ratio * ratio
}

// length makes the corrector's step of the predictions, and returns how far to go, and
// the part of themselves that single variables may lose on the way.
func (s *interior) length(target float64) (t, part float64) {
	c := sumBlocks(s, func(b rows, sum *ramp.Corrected) {
		s.predict(s.move, b)
		for k := range s.ramps {
			sum.Add(s.ramps[k].of(b).Measure(target, singlePart, &shares))
		}
	})
	if s.columns != nil {
		c.Add(s.columns.measure(s.d, target))
	}
	whole := together(c.Loses)
	if whole > 0.9 || s.epoch >= carefulAfter {
		return whole, 1
	}
	for k, t := range shares {
		if t > whole && c.Lost[k] <= float64(largestShare*t*c.Moved) {
			return t, singlePart
		}
	}
	return whole, 1
}

// predict makes the predictor's step.
func (c *columnRamps) predict(d []float64) ramp.Predicted {
	copy(c.before, d)
	return c.all().Predict(singlePart)
}

// measure makes the corrector's step.
func (c *columnRamps) measure(d []float64, target float64) ramp.Corrected {
	copy(c.move, d)
	return c.all().Measure(target, singlePart, &shares)
}

// direction makes a predictor and a corrector, and returns the products m' that it
// aims at and how far to go.
func (s *interior) direction() (target, t, part float64) {
	s.linearise()
	s.hessian.Form(s.p, s.before)
	if s.columns != nil {
		s.hessian.Stiffen(s.columns.before)
	}
	s.hessian.Decompose(s.p)
	s.hessian.Solve(s.d, s.right)
	target = s.target()
	s.correct(target)
	s.hessian.Solve(s.d, s.right)
	t, part = s.length(target)
	return target, t, part
}
