package train

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/parallel"
)

// limit is the time that a Fit may take, from its beginning to its model.
type limit struct {
	begun time.Time
	time  time.Duration // 0: no limit
}

func newLimit(most time.Duration) *limit { return &limit{begun: time.Now(), time: most} }

// LimitError says that the time was over before there was anything to make a model of.
type LimitError struct{ Time time.Duration }

func (e LimitError) Error() string {
	return fmt.Sprintf("time=%v was over while the rows were prepared, before training began: expected more time, fewer rows, or a map of fewer features", e.Time)
}

// grace is how long it may take to prepare rows even if the limit is shorter, or the run
// interrupted: most often that is enough, and there is a model.
const grace = 200 * time.Millisecond

// prepare makes the job, unless that takes most of the time: a certificate of features
// that took so long to make would not fit into the rest.
func (l *limit) prepare(ctx context.Context, set *dataset.Set, spec Spec) (*job, error) {
	patient, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, giveUp) })()
	if l.time > 0 {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, l.begun.Add(l.time*3/4+grace))
		defer cancel()
		defer context.AfterFunc(ctx, func() {
			if ctx.Err() == context.DeadlineExceeded {
				giveUp()
			}
		})()
	}
	j, err := parallel.Until(patient, func() (*job, error) { return prepare(ctx, set, spec) })
	if errors.Is(err, context.Canceled) {
		err = ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) && l.time > 0 {
		return nil, LimitError{l.time}
	}
	return j, err
}

// until returns when so many outputs that are trained now are to end, if as many are to be
// trained later: all have an even share of what is left. A part of it is kept for making the
// model.
func (l *limit) until(now, later int) time.Time {
	left := l.time*49/50 - time.Since(l.begun)
	return time.Now().Add(left / time.Duration(now+later) * time.Duration(now))
}

// over reports whether the time for training is over.
func (l *limit) over() bool { return l.time > 0 && time.Since(l.begun) > l.time*49/50 }
