package file

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

// NewInterruptible returns a reader of r that ctx ends even within a read.
func NewInterruptible(ctx context.Context, r io.Reader) io.Reader {
	return &interruptible{ctx: ctx, r: r, own: make([]byte, HeadSize), got: make(chan int, 1)}
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

// Writer returns w, which stops when ctx ends.
func Writer(ctx context.Context, w io.Writer) io.Writer { return &writer{ctx, w} }

type writer struct {
	ctx context.Context
	w   io.Writer
}

func (c *writer) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}

// Reader returns r, which stops between reads when ctx ends.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &reader{ctx, r} }

type reader struct {
	ctx context.Context
	r   io.Reader
}

func (c *reader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
