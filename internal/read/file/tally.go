package file

import (
	"io"
	"sync/atomic"
)

// A Tally counts the bytes of sources while they are read, of compressed files as they are
// stored. It may be asked at any time, on any goroutine. Files that are mapped, or read in
// several places at once, are not counted.
type Tally struct{ done, total atomic.Int64 }

// Bytes returns how many bytes were read, and how many there are in all; 0: not known, as of a
// pipe.
func (t *Tally) Bytes() (done, total int64) {
	done, total = t.done.Load(), t.total.Load()
	if total > 0 {
		done = min(done, total)
	}
	return done, total
}

// tallied counts the bytes of one source.
type tallied struct {
	of   *Tally
	r    io.Reader
	size int64 // 0: not known
	done atomic.Int64
}

func (t *tallied) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.done.Add(int64(n))
	t.of.done.Add(int64(n))
	return n, err
}

// forget takes back what was counted of a source that is read again.
func (t *tallied) forget() {
	if t != nil {
		t.of.total.Add(-t.size)
		t.of.done.Add(-t.done.Load())
	}
}
