package race

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/library"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// The race against memory: how fast the machine reads and copies, and how near
// epochs of dual coordinate ascent come to it. An epoch must at least read
// each nonzero (column and value, 8 bytes) once, and of each row the offset,
// target, weight, norm and dual variable, which it also writes (48 bytes).
func init() {
	register(race{name: "bandwidth", order: 40, share: 2, run: runBandwidth})
}

func runBandwidth(ctx context.Context, l *lab) error {
	floats := min(1<<26, l.opt.Rows<<11) // up to 512 MB: larger than the caches
	for _, threads := range slices.Compact([]int{1, l.opt.Threads}) {
		l.log.Rows = append(l.log.Rows, measureMemory(floats, threads, l.opt.repeats)...)
	}
	sets := slices.DeleteFunc(l.opt.chosen(), func(s task.Source) bool { return s.Make == nil })
	return l.eachTask(ctx, sets, func(t *task.Task, _ sessions, _ time.Time) error {
		for _, threads := range slices.Compact([]int{1, l.opt.Threads}) {
			for _, loss := range []string{"hinge", "logistic"} {
				if err := l.epochs(ctx, t, loss, threads); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// epochs times the first passes of dual coordinate ascent, before rows rest.
func (l *lab) epochs(ctx context.Context, t *task.Task, loss string, threads int) error {
	const passes = 3
	for repeat := range l.opt.repeats {
		r, err := library.Fit(ctx, t, library.Ask{Loss: loss, Lambda: "1/n", Solver: "sdca", Gap: 1e-12, Epochs: passes, Threads: threads})
		if err != nil {
			return err
		}
		m := t.Describe("bandwidth", "epoch")
		m.Loss, m.Lambda, m.Contender, m.Threads, m.Repeat = loss, "1/n", measure.OwnName, threads, repeat+1
		m.Seconds = r.Seconds / float64(max(1, r.Epochs))
		m.Bytes = measure.BytesPerNonzero*m.Nonzeros + measure.BytesPerRow*m.Rows
		l.log.Add(m)
	}
	return nil
}

// measureMemory sums and copies an array on so many cores.
func measureMemory(floats, threads, repeats int) []measure.Measurement {
	from, to := make([]float64, floats), make([]float64, floats)
	for i := range from {
		from[i], to[i] = 1, 1 // every page is there before the clock starts
	}
	var rows []measure.Measurement
	for repeat := range repeats {
		for _, w := range []struct {
			kind  string
			bytes int
			do    func(lo, hi int)
		}{
			{"read", 8 * floats, func(lo, hi int) { sink(sumOf(from[lo:hi])) }},
			{"copy", 16 * floats, func(lo, hi int) { copy(to[lo:hi], from[lo:hi]) }},
		} {
			rows = append(rows, measure.Measurement{Race: "bandwidth", Kind: w.kind, Contender: "memory", Threads: threads, Repeat: repeat + 1,
				Size: measure.Size{Bytes: int64(w.bytes)}, Seconds: inParallel(floats, threads, w.do)})
		}
	}
	return rows
}

// inParallel gives each thread one piece, and returns the seconds of all.
func inParallel(n, threads int, do func(lo, hi int)) float64 {
	var wait sync.WaitGroup
	begin := time.Now()
	for t := range threads {
		wait.Go(func() { do(t*n/threads, (t+1)*n/threads) })
	}
	wait.Wait()
	return time.Since(begin).Seconds()
}

// sumOf adds in eight chains, so that memory is what it waits for.
func sumOf(x []float64) float64 {
	var a, b, c, d, e, f, g, h float64
	for ; len(x) >= 8; x = x[8:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
		e, f, g, h = e+x[4], f+x[5], g+x[6], h+x[7]
	}
	return a + b + c + d + e + f + g + h
}

// sink keeps a sum from being optimised away.
func sink(x float64) {
	if math.IsNaN(x) {
		panic(fmt.Sprint("sum of ones is ", x))
	}
}
