// Package interrupt ends runs early: at the first interruption cleanly, at the second at
// once.
package interrupt

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// Burst is how long signals after the first are taken for the same wish: timeout
// sends two at once, and a terminal may send one to each process on the way.
const Burst = 100 * time.Millisecond

// ends are the signals that ask for an end: of Ctrl-C, of kill, and of a terminal that is
// closed, unless that is to be ignored, as nohup says.
func ends() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// Interruptible returns a context that Ctrl-C or a request to terminate ends, so
// that a run comes to a clean end and writes what it has found. That may take a
// while, and stderr then says so, see stopping. The second interruption calls force.
func Interruptible(stderr io.Writer, burst time.Duration, force func()) (ctx context.Context, stop func()) {
	words := new(atomic.Pointer[string])
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), wordsKey{}, words))
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, ends()...)
	go func() {
		var count Interruptions
		for range signals {
			switch count.Hear(time.Now(), burst) {
			case 1:
				if w := words.Load(); w != nil {
					fmt.Fprintf(stderr, "stopping: %s (press again to quit now)\n", *w)
				}
				cancel()
			case 2:
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

// Quit ends the process at once and leaves no file that is half written.
func Quit() {
	file.Discard()
	os.Exit(exitcode.Interrupted)
}

// wordsKey is that of the words for an interruption in a context.
type wordsKey struct{}

// Stopping says what is still done after the first interruption, until done is called.
func Stopping(ctx context.Context, what string) (done func()) {
	words, ok := ctx.Value(wordsKey{}).(*atomic.Pointer[string])
	if !ok {
		return func() {}
	}
	words.Store(&what)
	return func() { words.Store(nil) }
}

// Interruptions counts signals, those of one burst as one.
type Interruptions struct {
	number int
	last   time.Time // when the present burst began
}

// Hear returns the number of an interruption, 0 for a signal of the same burst.
func (c *Interruptions) Hear(now time.Time, burst time.Duration) int {
	if c.number > 0 && now.Sub(c.last) < burst {
		return 0
	}
	c.number, c.last = c.number+1, now
	return c.number
}

// Endable is a writer that fails once ctx has ended.
type Endable struct {
	Ctx context.Context
	W   io.Writer
}

func (e Endable) Write(p []byte) (int, error) {
	if err := e.Ctx.Err(); err != nil {
		return 0, err
	}
	return e.W.Write(p)
}
