package parallel

import (
	"io"
	"sync"
	"sync/atomic"
)

// Ordered writes what do appends for each block of size rows, in the order of
// the blocks, while later blocks are made on other goroutines, of which there
// are at most threads, as Cores counts them. What is made but not yet
// written is at most two blocks for each goroutine, whatever the number of rows.
func Ordered(w io.Writer, rows, size, threads int, do func(dst []byte, lo, hi int) []byte) error {
	blocks := (rows + size - 1) / size
	threads = min(Cores(threads), blocks)
	if threads <= 1 {
		return inTurn(w, rows, size, do)
	}
	// A block is claimed with room in hand, and its room is given back once it
	// is written: at most so many blocks are under way, the first of them next in
	// order, so no two share a place of made.
	room, made := make(chan []byte, 2*threads), make([]chan []byte, 2*threads)
	for i := range made {
		room <- nil
		made[i] = make(chan []byte, 1)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	quit := make(chan struct{})
	defer group.Wait()
	defer close(quit)
	for range threads {
		group.Go(func() {
			defer Guard()()
			for {
				select {
				case text := <-room:
					b := int(next.Add(1)) - 1
					if b >= blocks {
						return
					}
					made[b%len(made)] <- do(text[:0], b*size, min((b+1)*size, rows))
				case <-quit:
					return
				}
			}
		})
	}
	for b := range blocks {
		text := <-made[b%len(made)]
		if _, err := w.Write(text); err != nil {
			return err
		}
		room <- text
	}
	return nil
}

// inTurn is ordered on one goroutine.
func inTurn(w io.Writer, rows, size int, do func(dst []byte, lo, hi int) []byte) error {
	var text []byte
	for lo := 0; lo < rows; lo += size {
		text = do(text[:0], lo, min(lo+size, rows))
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
