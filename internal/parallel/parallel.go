// Package parallel shares work among the cores such that results do not depend on
// how many there are: who does a part is not known, what is done is.
//
// Waking a core that sleeps takes a tenth of a millisecond, more than most passes
// over a data set that fits into the cache. So whoever has helped lingers for a few
// times as long, looking for the next call, and a call never waits for help
// that comes too late.
//
// fault.go is what all goroutines share that read mapped files.
package parallel

import (
	"context"
	"runtime"
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
	Each((rows+size-1)/size, threads, func(_, b int) { do(b, b*size, min((b+1)*size, rows)) })
}

// Each calls do(worker, i) for each i below count, on at most threads goroutines,
// as Cores counts them, each with a number of its own, from 0. It returns when all
// are done. A panic on the goroutine of the caller comes through, after the others
// have ended.
func Each(count, threads int, do func(worker, i int)) {
	threads = min(Cores(threads), count)
	if threads <= 1 {
		for i := range count {
			do(0, i)
		}
		return
	}
	var next atomic.Int64
	all.run(threads, false, func(worker int) {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			do(worker, i)
		}
	})
}

// Try runs do(0), ..., do(n-1) side by side on at most threads cores, until ctx ends, and returns the first error, by
// number, of those that were run.
func Try(ctx context.Context, n, threads int, do func(i int) error) error {
	errs := make([]error, n)
	Blocks(n, 1, threads, func(i, _, _ int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			errs[i] = do(i)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
