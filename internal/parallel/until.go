package parallel

import (
	"context"
	"time"
)

// Until returns what f makes, or the error of ctx as soon as that ends: for work of which
// half is worth nothing. f goes on, and its result is dropped, until it
// checks ctx itself or the process ends.
func Until[T any](ctx context.Context, f func() (T, error)) (made T, err error) {
	done := make(chan struct{})
	var late T
	var failed error
	go func() {
		defer Guard()()
		late, failed = f()
		close(done)
	}()
	select {
	case <-done:
		return late, failed
	case <-ctx.Done():
		return made, ctx.Err()
	}
}

// Grace is how long work may go on after it is no longer wanted: most often it ends by then, and
// there is an answer.
const Grace = 200 * time.Millisecond

// Patiently returns what f makes, which ends soon after ctx. If it does not for the time of [Grace],
// the error is that of ctx, and what f makes is dropped.
func Patiently[T any](ctx context.Context, f func() (T, error)) (T, error) {
	patient, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(Grace, giveUp) })()
	return Until(patient, f)
}
