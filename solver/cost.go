package solver

import (
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// cost is what a certificate takes, by the clock: a fixed part, such as a pass over the
// rows, and a part for each row of a matrix that is not stored.
type cost struct{ fixed, row time.Duration }

// of returns that of a certificate of so many rows, with some room for error.
func (c cost) of(rows int) time.Duration {
	return (c.fixed + time.Duration(rows)*c.row) * 4 / 3
}

// learn takes over what a certificate of so many rows took.
func (c *cost) learn(took time.Duration, rows int) {
	if rows == 0 {
		c.fixed = took
		return
	}
	c.row = max(0, took-c.fixed) / time.Duration(rows)
}

// measureCost measures what certificates cost, where the time is limited: that of the zero point,
// which a run that finds nothing falls back to, and those of a few coefficients.
func (r *run) measureCost() {
	if r.clock.limit == 0 {
		return
	}
	point := r.zeroPoint()
	if _, ok := r.problem.(problem.Interruptible); !ok {
		var c problem.Certificate
		r.cost.learn(r.timed(func() { c = r.problem.Certify(point) }), 0)
		r.zero = &c
		return
	}
	point.A = nil // the rows of any dual variables count as others do
	r.cost.learn(r.timed(func() { r.problem.Certify(point) }), 0)
	r.interruptProblem(func() bool { return time.Since(r.begun) > r.clock.limit/10 })
	for _, k := range []int{1, 8, 64} {
		if k >= len(point.W) || r.cost.of(k) > r.clock.limit/10 {
			break
		}
		for j := range k {
			point.W[j] = 1
		}
		r.cost.learn(r.timed(func() { r.problem.Certify(point) }), k)
	}
}

// timed does what counts as certification, and returns how long that took.
func (r *run) timed(do func()) time.Duration {
	begin := time.Now()
	do()
	took := time.Since(begin)
	r.certify += took
	return took
}
