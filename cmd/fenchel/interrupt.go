package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fenchel-ml/fenchel/parallel"
)

// burst is how long signals after the first are taken for the same wish: timeout
// sends two at once, and a terminal may send one to each process on the way.
const burst = time.Second

// interruptible returns a context that Ctrl-C or a request to terminate ends, so
// that a run comes to a clean end and writes what it has found. That may take a
// while: a second interruption changes nothing, and says so on stderr. The third
// calls force.
func interruptible(stderr io.Writer, burst time.Duration, force func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		var count interruptions
		for range signals {
			switch count.hear(time.Now(), burst) {
			case 1:
				cancel()
			case 2:
				fmt.Fprintln(stderr, "fenchel: still ending, to lose nothing: interrupt once more to stop at once")
			case 3:
				force()
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// abandoned returns what f makes, or the error of ctx as soon as that ends: for
// work of which half is worth nothing. f goes on until the process ends.
func abandoned[T any](ctx context.Context, f func() (T, error)) (made T, err error) {
	done := make(chan struct{})
	var late T
	var failed error
	go func() {
		defer parallel.Guard()()
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

// interruptions counts signals, those of one burst as one.
type interruptions struct {
	number int
	last   time.Time // when the present burst began
}

// hear returns the number of an interruption, 0 for a signal of the same burst.
func (c *interruptions) hear(now time.Time, burst time.Duration) int {
	if c.number > 0 && now.Sub(c.last) < burst {
		return 0
	}
	c.number, c.last = c.number+1, now
	return c.number
}

// endable is a writer that fails once ctx has ended.
type endable struct {
	ctx context.Context
	w   io.Writer
}

func (e endable) Write(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.w.Write(p)
}
