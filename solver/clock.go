package solver

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// clock holds a run to its limits: training ends early enough for the certificate that
// is still to come. It may be asked by several goroutines at once.
type clock struct {
	ctx     context.Context
	begun   time.Time
	limit   time.Duration // 0: none
	reserve atomic.Int64  // of it, kept for the last certificate
	ended   atomic.Bool
}

// over reports whether training must end, from then on always.
func (c *clock) over() bool {
	if !c.ended.Load() && (c.ctx.Err() != nil || c.out()) {
		c.ended.Store(true)
	}
	return c.ended.Load()
}

// out reports whether the time is, but for what the last certificate needs.
func (c *clock) out() bool {
	return c.limit > 0 && time.Since(c.begun)+time.Duration(c.reserve.Load()) >= c.limit
}

// late reports whether a certificate must be cut short: the limit is passed by more than
// estimates of its cost may be wrong.
func (c *clock) late() bool {
	return c.limit > 0 && time.Since(c.begun) > c.limit+c.limit/10+overtime
}

// overtime is by how much the shortest limits may be passed.
const overtime = 100 * time.Millisecond

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

// question is Start.Over.
func (r *run) question() bool {
	r.asks.Store(true)
	return r.asked()
}

// asked reports whether training must end. Of the limit it keeps what a certificate of the
// state's point takes now.
func (r *run) asked() bool {
	if r.clock.limit > 0 {
		r.reserve.Store(int64(r.needed()))
	}
	return r.over()
}

// needed returns how long it takes to end the run as it stands.
func (r *run) needed() time.Duration {
	needed := r.cost.of(0)
	if r.support.Rows != nil { // states without one ask on any goroutine
		all, spared := r.support.Rows()
		needed = r.cost.of(all)
		if r.sparing = all > spared && needed > r.clock.limit/4; r.sparing {
			needed = r.cost.of(spared)
		}
	}
	if r.opt.Short { // what a model holds is judged once more
		needed += r.cost.fixed
	}
	if !r.asks.Load() { // the state comes back after an epoch only
		needed += r.epochTime
	}
	return needed
}

// heed lets a problem.Heedful stop its work when over reports true.
func (r *run) heed(over func() bool) {
	if h, ok := r.problem.(problem.Heedful); ok {
		h.Heed(over)
	}
}

// weigh measures what certificates cost, where the time is limited: that of the zero point,
// which a run that finds nothing falls back to, and those of a few coefficients.
func (r *run) weigh() {
	if r.clock.limit == 0 {
		return
	}
	point := r.zeroPoint()
	if _, ok := r.problem.(problem.Heedful); !ok {
		var c problem.Certificate
		r.cost.learn(r.timed(func() { c = r.problem.Certify(point) }), 0)
		r.zero = &c
		return
	}
	point.A = nil // the rows of any dual variables count as others do
	r.cost.learn(r.timed(func() { r.problem.Certify(point) }), 0)
	r.heed(func() bool { return time.Since(r.begun) > r.clock.limit/10 })
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

// judged is judge, and reports whether the objective of the point is known: no
// certificate goes on when the limit is passed.
func (r *run) judged(point problem.Point) (_ problem.Point, c problem.Certificate, whole bool) {
	r.heed(r.late)
	took := r.timed(func() { point, c = r.judge(point) }) + r.pointTime
	h, ok := r.problem.(problem.Heedful)
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
