package parallel

import (
	"sync"
	"sync/atomic"
)

// Team is a few goroutines that go through the same phases together, each of a
// fraction of a millisecond: too short to share out one by one, so they meet by
// polling. Who has polled for some times as long as waking takes sleeps: the other
// may be waiting for a core.
type Team struct {
	size    int
	arrived atomic.Int32
	turn    atomic.Uint32
	change  sync.Mutex // of turn
	turned  sync.Cond
}

// NewTeam has a member for every core that may be used, as Cores counts them, at
// most limit.
func NewTeam(threads, limit int) *Team {
	t := &Team{size: min(Cores(threads), limit)}
	t.turned.L = &t.change
	return t
}

// Size returns the number of members.
func (t *Team) Size() int { return t.size }

// Run calls do for every member at once and returns when all are done.
func (t *Team) Run(do func(member int)) {
	if t.size == 1 {
		do(0)
		return
	}
	all.run(t.size, true, do)
}

// Meet returns when every member has called it.
func (t *Team) Meet() {
	turn := t.turn.Load()
	if int(t.arrived.Add(1)) == t.size {
		t.arrived.Store(0)
		t.change.Lock()
		t.turn.Add(1)
		t.change.Unlock()
		t.turned.Broadcast()
		return
	}
	if look(func() bool { return t.turn.Load() != turn }) {
		return
	}
	t.change.Lock()
	for t.turn.Load() == turn {
		t.turned.Wait()
	}
	t.change.Unlock()
}

// Share returns the part of n things that is the member's.
func (t *Team) Share(member, n int) (lo, hi int) {
	return member * n / t.size, (member + 1) * n / t.size
}
