package parallel

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// Blocks come out in order, whole and once, whatever the number of goroutines.
func TestOrdered(t *testing.T) {
	for _, rows := range []int{0, 1, 9, 10, 11, 1000} {
		var want strings.Builder
		for i := range rows {
			fmt.Fprintln(&want, i)
		}
		for _, threads := range []int{1, 2, 7, 0} {
			for range 50 { // a fault of order shows only now and then
				var got bytes.Buffer
				err := Ordered(&got, rows, 10, threads, func(dst []byte, lo, hi int) []byte {
					for i := lo; i < hi; i++ {
						dst = fmt.Appendln(dst, i)
					}
					return dst
				})
				if err != nil || got.String() != want.String() {
					t.Fatalf("%d rows, %d threads: %v, found another order", rows, threads, err)
				}
			}
		}
	}
}

// What is made but not yet written is bounded, and a full disk ends it all.
func TestOrderedBound(t *testing.T) {
	full := errors.New("disk full")
	for _, threads := range []int{1, 3} {
		var made atomic.Int64
		disk := &slowDisk{blocks: 20, err: full, made: &made}
		err := Ordered(disk, 100000, 1, threads, func(dst []byte, lo, hi int) []byte {
			made.Add(1)
			return append(dst, 'x')
		})
		if !errors.Is(err, full) {
			t.Errorf("found %v, expected %v", err, full)
		}
		if ahead := made.Load() - disk.written; ahead > int64(2*threads+1) || disk.most > int64(2*threads) {
			t.Errorf("%d threads: %d blocks made ahead of those written, at the end %d", threads, disk.most, ahead)
		}
	}
}

type slowDisk struct {
	blocks        int64
	err           error
	made          *atomic.Int64
	written, most int64
}

func (d *slowDisk) Write(p []byte) (int, error) {
	if d.written == d.blocks {
		return 0, d.err
	}
	d.most = max(d.most, d.made.Load()-d.written)
	d.written++
	return len(p), nil
}
