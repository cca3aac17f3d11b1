package file

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// What is read ahead is what is read, the error behind it included, and the
// goroutine ends however much of it is asked for.
func TestAhead(t *testing.T) {
	broken := errors.New("broken wire")
	text := bytes.Repeat([]byte("0123456789abcdef!"), 5*aheadBuffers*aheadSize/17)
	for _, wrap := range []func(io.Reader) io.Reader{iotest.DataErrReader, iotest.HalfReader} {
		for _, ask := range []int{0, 1, 100, aheadSize, len(text)} {
			done := make(chan struct{})
			a := newReadAhead(wrap(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken))), func() { close(done) })
			got := make([]byte, ask)
			if _, err := io.ReadFull(a, got); err != nil || !bytes.Equal(got, text[:ask]) {
				t.Errorf("other bytes, or %v, among the first %d", err, ask)
			}
			if ask == len(text) {
				for range 2 {
					if n, err := a.Read(got); n != 0 || err != broken {
						t.Errorf("found %d bytes and %v behind the last", n, err)
					}
				}
			}
			a.close()
			<-done
		}
	}
}
