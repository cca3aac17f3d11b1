package solver

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// mostSkipped is how many certificates in a row are skipped, so that progress is shown now and
// then.
const mostSkipped = 3

// skips reports whether the certificate is skipped, as the state knows that its point misses
// the goal, also with the best found so far. Its objectives then count instead, and weights
// that are the best are kept: the point that is returned is certified (settle).
func (r *run) skips(point problem.Point) bool {
	known := r.report.Objectives
	if known == nil || r.unproved || r.traits.Last || r.skipped == mostSkipped || r.schedule.always || r.report.End != nil || r.limit() != "" {
		return false
	}
	c := problem.Certificate{Primal: known.Primal, Dual: known.Dual, Zero: known.Zero}
	if r.best.W != nil {
		c.Primal, c.Dual = min(c.Primal, r.bestCertificate.Primal), max(c.Dual, r.bestCertificate.Dual)
	}
	if !(known.Primal <= known.Zero) || !(c.Relative() > r.opt.Gap) {
		return false
	}
	r.skipped++
	r.keep(problem.Point{W: point.W}, problem.Certificate{Primal: known.Primal, Dual: math.Inf(-1), Zero: known.Zero})
	r.schedule.record(r.epoch, c, r.opt.Gap)
	return true
}
