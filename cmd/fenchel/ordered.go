package main

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/matrix"
)

// ordered writes what do appends for each block of size rows, in the order of
// the blocks, while later blocks are made on other goroutines, of which there
// are at most threads, as matrix.Cores counts them. What is made but not yet
// written is at most two blocks for each goroutine, whatever the number of rows.
func ordered(w io.Writer, rows, size, threads int, do func(dst []byte, lo, hi int) []byte) error {
	blocks := (rows + size - 1) / size
	threads = min(matrix.Cores(threads), blocks)
	if threads <= 1 {
		var text []byte
		for lo := 0; lo < rows; lo += size {
			text = do(text[:0], lo, min(lo+size, rows))
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return nil
	}
	// Block b goes through slot b % len(slots): its room is free once the
	// block before it there is written.
	type slot struct{ free, made chan []byte }
	slots := make([]slot, 2*threads)
	for i := range slots {
		slots[i] = slot{make(chan []byte, 1), make(chan []byte, 1)}
		slots[i].free <- nil
	}
	var next atomic.Int64
	var group sync.WaitGroup
	quit := make(chan struct{})
	defer group.Wait()
	defer close(quit)
	for range threads {
		group.Go(func() {
			for b := int(next.Add(1)) - 1; b < blocks; b = int(next.Add(1)) - 1 {
				s := slots[b%len(slots)]
				select {
				case text := <-s.free:
					s.made <- do(text[:0], b*size, min((b+1)*size, rows))
				case <-quit:
					return
				}
			}
		})
	}
	for b := range blocks {
		s := slots[b%len(slots)]
		text := <-s.made
		if _, err := w.Write(text); err != nil {
			return err
		}
		s.free <- text
	}
	return nil
}
