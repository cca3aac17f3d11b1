package dataset

import (
	"context"
	"io"
)

// interruptible lets ctx end a read that would block, as from a terminal or a
// pipe. The read itself goes on in the background, into a buffer of its own.
type interruptible struct {
	ctx  context.Context
	r    io.Reader
	own  []byte
	rest []byte // of own, not yet given
	err  error  // comes after rest
	got  chan int
}

func newInterruptible(ctx context.Context, r io.Reader) *interruptible {
	return &interruptible{ctx: ctx, r: r, own: make([]byte, headSize), got: make(chan int, 1)}
}

func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.rest) == 0 && r.err == nil {
		go func() {
			n, err := r.r.Read(r.own)
			r.err = err
			r.got <- n
		}()
		select {
		case <-r.ctx.Done(): // nothing of r is touched again
			return 0, r.ctx.Err()
		case n := <-r.got:
			r.rest = r.own[:n]
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	if len(r.rest) == 0 {
		return n, r.err
	}
	return n, nil
}
