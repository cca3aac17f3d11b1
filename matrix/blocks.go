package matrix

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Cores returns how many goroutines to run at once when at most threads may be
// used; 0: as many as there are cores.
func Cores(threads int) int {
	if threads <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return threads
}

// Blocks cuts rows into blocks of the given size and calls do(block, lo, hi)
// once for each, on at most threads goroutines, as Cores counts them.
// It returns when all are done. What do computes must depend on its
// arguments alone; then results that the caller combines in the order of the
// blocks are the same for any number of threads.
func Blocks(rows, size, threads int, do func(block, lo, hi int)) {
	blocks := (rows + size - 1) / size
	threads = min(Cores(threads), blocks)
	if threads <= 1 {
		for b := range blocks {
			do(b, b*size, min((b+1)*size, rows))
		}
		return
	}
	var next atomic.Int64
	var done sync.WaitGroup
	for range threads {
		done.Go(func() {
			for b := int(next.Add(1)) - 1; b < blocks; b = int(next.Add(1)) - 1 {
				do(b, b*size, min((b+1)*size, rows))
			}
		})
	}
	done.Wait()
}
