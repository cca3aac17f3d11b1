package solver

import (
	"context"
	"sync/atomic"
	"time"
)

// clock holds a run to its limits: training ends early enough for the certificate that
// is still to come. It may be asked by several goroutines at once.
type clock struct {
	ctx     context.Context
	begun   time.Time
	limit   time.Duration // 0: none
	reserve atomic.Int64  // nanoseconds kept for the last certificate
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
