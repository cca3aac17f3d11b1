package linear

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/matrix"
)

// team is a few goroutines that go through the same phases together, each of a
// fraction of a millisecond: too short to start goroutines for (waking a sleeping
// core takes a tenth of a millisecond), so they meet by looking.
type team struct {
	size    int
	arrived atomic.Int32
	turn    atomic.Uint32
}

// newTeam has a member for every core that may be used, at most limit.
func newTeam(threads, limit int) *team {
	return &team{size: min(matrix.Cores(threads), limit)}
}

// run calls do for every member at once and returns when all are done.
func (t *team) run(do func(member int)) {
	var done sync.WaitGroup
	for m := 1; m < t.size; m++ {
		done.Go(func() { do(m) })
	}
	do(0)
	done.Wait()
}

// meet returns when every member has called it.
func (t *team) meet() {
	turn := t.turn.Load()
	if int(t.arrived.Add(1)) == t.size {
		t.arrived.Store(0)
		t.turn.Add(1)
		return
	}
	for looks := 0; t.turn.Load() == turn; looks++ {
		if looks > 1000 {
			runtime.Gosched() // others may need the core
		}
	}
}

// share returns the part of n things that is the member's.
func (t *team) share(member, n int) (lo, hi int) {
	return member * n / t.size, (member + 1) * n / t.size
}
