package solver

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// mostSpared is how many certificates in a row are spared, so that progress is shown now and
// then.
const mostSpared = 3

// spared reports whether the state knows that its point misses the goal, also with the best
// found so far. Then what it knows counts instead of a certificate, and the weights are kept
// where they are the best: whatever comes of them is certified (settle).
func (r *run) spared(point problem.Point) bool {
	a, aware := r.state.(Aware)
	if !aware || r.unproved || r.inRow == mostSpared || r.looks.always || r.end != nil || r.limit() != "" {
		return false
	}
	primal, dual, zero, known := a.Objectives()
	c := problem.Certificate{Primal: primal, Dual: dual, Zero: zero}
	if r.best.W != nil {
		c.Primal, c.Dual = min(primal, r.bestCertificate.Primal), max(dual, r.bestCertificate.Dual)
	}
	if !known || !(primal <= zero) || !(c.Relative() > r.opt.Gap) {
		return false
	}
	r.inRow++
	r.keep(problem.Point{W: point.W}, problem.Certificate{Primal: primal, Dual: math.Inf(-1), Zero: zero})
	r.looks.record(r.epoch, c, r.opt.Gap)
	return true
}
