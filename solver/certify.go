package solver

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// certifyInTime is certifyShort, and reports whether the objective of the point is known: no
// certificate goes on when the limit is passed.
func (r *run) certifyInTime(point problem.Point) (_ problem.Point, c problem.Certificate, whole bool) {
	r.interruptProblem(r.late)
	took := r.timed(func() { point, c = r.certifyShort(point) }) + r.pointTime
	h, ok := r.problem.(problem.Interruptible)
	if ok && h.Cut() {
		return point, c, !math.IsNaN(c.Primal)
	}
	rows := 0
	if r.support.Rows != nil {
		all, spared := r.support.Rows()
		if rows = all; r.sparing {
			rows = spared
		}
	}
	r.cost.learn(took, rows)
	return point, c, true
}

// certifyShort certifies a point, with short dual variables if they are wanted and
// reach the gap: after X^T a has cancelled, their rounding may be any multiple
// of it. A certificate that an estimate asked for is likely to find the gap and tries
// them first, and the point itself too where the gap has hardly fallen, or the run ends;
// another tries them once the point itself has reached the gap.
func (r *run) certifyShort(point problem.Point) (problem.Point, problem.Certificate) {
	if !r.opt.Short || point.A == nil {
		return point, r.problem.Certify(point)
	}
	var own problem.Certificate
	if !r.schedule.promised {
		if own = r.problem.Certify(point); !(own.Relative() <= r.opt.Gap) {
			return point, own
		}
	}
	r.short = append(r.short[:0], point.A...)
	Shorten(r.short)
	rounded := problem.Point{W: point.W, A: r.short}
	c := r.problem.Certify(rounded)
	if gap := c.Relative(); gap <= r.opt.Gap || r.schedule.promised && r.schedule.explains(gap) && r.limit() == "" {
		return rounded, c
	}
	if r.schedule.promised {
		own = r.problem.Certify(point)
	}
	return point, own
}

// Shorten rounds dual variables to single precision.
func Shorten(a []float64) {
	for i, x := range a {
		a[i] = float64(float32(x))
	}
}

// IsShort reports whether Shorten would change none of the dual variables.
func IsShort(a []float64) bool {
	for _, x := range a {
		if float64(float32(x)) != x {
			return false
		}
	}
	return true
}
