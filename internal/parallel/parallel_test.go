package parallel

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestBlocks checks that every row is in exactly one block, that the blocks do
// not depend on the threads, and that a sum in their order has the same bits.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, c := range [][2]int{{0, 4}, {1, 4}, {4, 4}, {5, 4}, {1000, 7}, {1000, 1}, {3, 1000}} {
		rows, size := c[0], c[1]
		values := make([]float64, rows)
		for i := range values {
			values[i] = math.Exp(20 * r.NormFloat64())
		}
		want := blockSums(t, values, size, 1)
		for _, threads := range []int{2, 3, 4, 0} {
			if got := blockSums(t, values, size, threads); !slices.Equal(got, want) {
				t.Errorf("%d rows in blocks of %d: %d threads give other sums than one", rows, size, threads)
			}
		}
	}
}

func blockSums(t *testing.T, values []float64, size, threads int) []float64 {
	t.Helper()
	sums := make([]float64, (len(values)+size-1)/size)
	seen := make([]int, len(values))
	var lock sync.Mutex
	Blocks(len(values), size, threads, func(block, lo, hi int) {
		lock.Lock()
		defer lock.Unlock()
		if lo != block*size || hi != min(lo+size, len(values)) {
			t.Errorf("block %d is rows %d to %d of %d, size %d", block, lo, hi, len(values), size)
		}
		for i := lo; i < hi; i++ {
			seen[i]++
			sums[block] += values[i]
		}
	})
	for i, n := range seen {
		if n != 1 {
			t.Errorf("%d rows in blocks of %d on %d threads: row %d done %d times", len(values), size, threads, i, n)
		}
	}
	return sums
}

// TestEachWorker checks that workers at work at once have numbers of their own,
// below the number of threads, with more threads than cores and calls within calls.
func TestEachWorker(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		var done atomic.Int32
		var inner atomic.Int32
		at := make([]atomic.Int32, threads)
		Each(50, threads, func(worker, i int) {
			if at[worker].Add(1) != 1 {
				t.Errorf("%d threads: two workers have the number %d", threads, worker)
			}
			Each(5, 3, func(worker, _ int) {
				if worker < 0 || worker >= 3 {
					t.Errorf("worker %d of 3", worker)
				}
				inner.Add(1)
			})
			done.Add(1)
			at[worker].Add(-1)
		})
		if done.Load() != 50 || inner.Load() != 250 {
			t.Errorf("%d threads: %d of 50 calls, %d of 250 inner ones", threads, done.Load(), inner.Load())
		}
	}
}

// TestCallers has several goroutines call at once, with pauses in which members
// come and go.
func TestCallers(t *testing.T) {
	var callers sync.WaitGroup
	for c := range 4 {
		callers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(c), 2))
			for range 200 {
				count := r.IntN(40)
				var sum atomic.Int64
				Each(count, 1+r.IntN(4), func(_, i int) { sum.Add(int64(i)) })
				if want := int64(count * (count - 1) / 2); sum.Load() != want {
					t.Errorf("the sum of the numbers below %d is %d, found %d", count, want, sum.Load())
				}
				if r.IntN(10) == 0 {
					time.Sleep(time.Duration(r.IntN(2000)) * time.Microsecond)
				}
			}
		})
	}
	callers.Wait()
}

// TestPanic checks that a panic comes through only after the others have ended, and
// that the next call is helped.
func TestPanic(t *testing.T) {
	for range 20 {
		var running atomic.Int32
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was lost")
				}
				if n := running.Load(); n != 0 {
					t.Errorf("%d workers are still at work", n)
				}
			}()
			Each(64, 4, func(worker, i int) {
				if worker == 0 {
					panic("of the caller")
				}
				running.Add(1)
				time.Sleep(10 * time.Microsecond)
				running.Add(-1)
			})
		}()
	}
	if !all.busy.TryLock() {
		t.Fatal("nobody will be helped any more")
	}
	all.busy.Unlock()
}

// TestTeam checks that all members of a team work at once, also when they are more than
// there are cores or are called within a call: each phase sees all of the phase before.
func TestTeam(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		phases := func() {
			team := NewTeam(size, 8)
			value := make([]int, size)
			team.Run(func(m int) {
				for phase := range 300 {
					value[m]++
					team.Meet()
					for k, v := range value {
						if v != phase+1 {
							t.Errorf("%d members: in phase %d member %d sees %d of member %d", size, phase, m, v, k)
						}
					}
					team.Meet()
				}
			})
		}
		phases()
		Each(2, 2, func(_, _ int) { phases() })
	}
}

// TestMembersLeave checks that nobody stays when there is nothing to do.
func TestMembersLeave(t *testing.T) {
	Each(100, 4, func(_, _ int) { runtime.Gosched() })
	for range 6000 {
		all.staff.Lock()
		size := all.size
		all.staff.Unlock()
		if size == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("members of the crew are still there after a minute")
}

// BenchmarkEach is a phase of a tenth of a millisecond, after a short one alone.
func BenchmarkEach(b *testing.B) {
	work := func(n int) (x float64) {
		for i := range n {
			x += math.Sqrt(float64(i))
		}
		return x
	}
	for b.Loop() {
		work(10000)
		Each(16, 2, func(_, _ int) { work(5000) })
	}
}

// TestShare checks that the members of a team share everything once, in order.
func TestShare(t *testing.T) {
	for _, size := range []int{1, 2, 3, 8} {
		for _, n := range []int{0, 1, 7, 1000} {
			team := NewTeam(size, 8)
			end := 0
			for m := range team.Size() {
				lo, hi := team.Share(m, n)
				if lo != end || hi < lo || hi-lo > n/team.Size()+1 {
					t.Errorf("%d members: member %d has %d to %d of %d, those before end at %d", team.Size(), m, lo, hi, n, end)
				}
				end = hi
			}
			if end != n {
				t.Errorf("%d members share %d of %d", team.Size(), end, n)
			}
		}
	}
}
