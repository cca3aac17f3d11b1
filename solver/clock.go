package solver

import (
	"context"
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

// askOver is Start.Over.
func (r *run) askOver() bool {
	r.asks.Store(true)
	return r.timeIsOver()
}

// timeIsOver reports whether training must end. Of the limit it keeps what a certificate of the
// state's point takes now.
func (r *run) timeIsOver() bool {
	if r.clock.limit > 0 {
		r.reserve.Store(int64(r.needed()))
	}
	return r.over()
}

// interruptProblem lets a problem.Interruptible stop its work when over reports true.
func (r *run) interruptProblem(over func() bool) {
	if h, ok := r.problem.(problem.Interruptible); ok {
		h.StopWhen(over)
	}
}
