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
	known := r.report.Objectives
	if known == nil || r.unproved || r.inRow == mostSpared || r.looks.always || r.report.End != nil || r.limit() != "" {
		return false
	}
	c := problem.Certificate{Primal: known.Primal, Dual: known.Dual, Zero: known.Zero}
	if r.best.W != nil {
		c.Primal, c.Dual = min(c.Primal, r.bestCertificate.Primal), max(c.Dual, r.bestCertificate.Dual)
	}
	if !(known.Primal <= known.Zero) || !(c.Relative() > r.opt.Gap) {
		return false
	}
	r.inRow++
	r.keep(problem.Point{W: point.W}, problem.Certificate{Primal: known.Primal, Dual: math.Inf(-1), Zero: known.Zero})
	r.looks.record(r.epoch, c, r.opt.Gap)
	return true
}
