package linear

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/matrix"
)

// team is a few goroutines that go through the same phases together, each of a
// fraction of a millisecond: too short to start goroutines for (waking a sleeping
// core takes a tenth of a millisecond), so they meet by looking. Who has looked
// for about as long as waking takes sleeps: the other may be waiting for a core.
type team struct {
	size    int
	arrived atomic.Int32
	turn    atomic.Uint32
	change  sync.Mutex // of turn
	turned  sync.Cond
}

// newTeam has a member for every core that may be used, at most limit.
func newTeam(threads, limit int) *team {
	t := &team{size: min(matrix.Cores(threads), limit)}
	t.turned.L = &t.change
	return t
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

// looks is how often a member looks whether the others have come, and how often
// before it lets other goroutines have the core in between.
const (
	looks    = 3000
	ownLooks = 1000
)

// meet returns when every member has called it.
func (t *team) meet() {
	turn := t.turn.Load()
	if int(t.arrived.Add(1)) == t.size {
		t.arrived.Store(0)
		t.change.Lock()
		t.turn.Add(1)
		t.change.Unlock()
		t.turned.Broadcast()
		return
	}
	for look := range looks {
		if t.turn.Load() != turn {
			return
		}
		if look > ownLooks {
			runtime.Gosched()
		}
	}
	t.change.Lock()
	for t.turn.Load() == turn {
		t.turned.Wait()
	}
	t.change.Unlock()
}

// share returns the part of n things that is the member's.
func (t *team) share(member, n int) (lo, hi int) {
	return member * n / t.size, (member + 1) * n / t.size
}
