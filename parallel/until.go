package parallel

import "context"

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
