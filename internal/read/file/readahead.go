package file

import (
	"io"
	"slices"
)

// aheadBuffers bounds what an ahead holds: so many buffers of aheadSize.
const aheadBuffers, aheadSize = 4, 256 << 10

// An readAhead reads r in a goroutine of its own, some buffers before they are
// asked for: decompression runs beside parsing. The goroutine, which begins
// with the first Read, also calls done when it ends; close does not wait for
// it, since r may be a pipe that blocks.
type readAhead struct {
	r          io.Reader
	done       func()
	full, free chan []byte
	over       chan struct{} // closed when reading has ended
	started    bool
	buf, rest  []byte // given out last, and what of it is not yet read
	err        error  // comes after the last of full
}

func newReadAhead(r io.Reader, done func()) *readAhead {
	return &readAhead{r: r, done: done, over: make(chan struct{}),
		full: make(chan []byte, aheadBuffers), free: make(chan []byte, aheadBuffers)}
}

func (a *readAhead) Read(p []byte) (int, error) {
	if !a.started {
		a.started = true
		for range aheadBuffers {
			a.free <- nil // made when needed: a short input needs one
		}
		go a.work()
	}
	for len(a.rest) == 0 {
		if a.buf != nil {
			a.free <- a.buf
			a.buf = nil
		}
		b, ok := <-a.full
		if !ok {
			return 0, a.err
		}
		a.buf, a.rest = b, b
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// work fills buffers until r fails or a is closed.
func (a *readAhead) work() {
	defer a.done()
	defer close(a.full)
	for {
		var b []byte
		select {
		case b = <-a.free:
		case <-a.over:
			return
		}
		if b, a.err = ReadUpTo(a.r, b[:0], aheadSize); len(b) > 0 {
			a.full <- b // has room for all buffers there are
		}
		if a.err != nil {
			return
		}
	}
}

// close ends the reading; a must not be read any more.
func (a *readAhead) close() {
	close(a.over)
	if !a.started {
		a.done()
	}
}

// ReadUpTo appends to buf until it holds want bytes or r fails.
func ReadUpTo(r io.Reader, buf []byte, want int) ([]byte, error) {
	buf = slices.Grow(buf, max(0, want-len(buf)))
	for len(buf) < want {
		n, err := r.Read(buf[len(buf):want])
		buf = buf[:len(buf)+n]
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}
