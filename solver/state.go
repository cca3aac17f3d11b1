package solver

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// run is the state of Run.
type run struct {
	clock
	problem problem.Problem
	state   State
	opt     Options

	unproved       bool // no gap can end the run, and the last point counts, not the best
	traits         Traits
	report         Report // the last one
	epoch, before  int    // of this start, and made before it: see retrace
	certified      int    // points of this start
	skipped        int    // certificates since the last that was made
	train, certify time.Duration
	status         Status

	cost      cost                 // cost of a certificate
	support   *Support             // what the state says of certificates; nil: nothing
	asks      atomic.Bool          // the state has asked Over since the last epoch began
	pointTime time.Duration        // time to make the last point
	epochTime time.Duration        // time of the last epoch
	sparing   bool                 // no more dual variables than the time allows, see Support
	zero      *problem.Certificate // certificate of the zero point; nil: not made

	schedule schedule
	short    []float64 // dual variables in single precision

	record // the best point so far
}

// record is the best point so far, and what is known of it.
type record struct {
	best            problem.Point
	bestCertificate problem.Certificate
	mixed           bool    // the parts of best come from different certificates
	rounding        float64 // rounding error in the certificate of the weights of best
	first           float64 // primal where the run began, by epoch 1; NaN: not known
}

// limit returns the limit that has been reached, "" for none.
func (r *run) limit() Status {
	switch {
	case r.ctx.Err() != nil:
		return Interrupted
	case r.timeIsOver():
		return TimeLimit
	case r.report.Done != "", r.opt.Epochs > 0 && r.before+r.epoch >= r.opt.Epochs:
		return EpochLimit
	}
	return ""
}

// diverges reports whether the objective is far above where it began, or is no
// number. It may be negative: a margin, for instance, is maximised.
func (r *run) diverges(c problem.Certificate) bool {
	size := math.Abs(c.Zero)
	if first := math.Abs(r.first); first > size {
		size = first
	}
	return math.IsNaN(c.Primal) || math.IsInf(c.Primal, 0) || size > 0 && c.Primal > 1e9*size
}

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
