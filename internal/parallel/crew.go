package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// crew is goroutines that help one call at a time.
type crew struct {
	busy sync.Mutex           // held for a call
	last atomic.Pointer[call] // that members were asked to help with

	staff sync.Mutex // guards who comes and goes
	size  int        // members that will look at the next call
}

// all is everybody's crew: there are only so many cores.
var all crew

// call is work for several workers.
type call struct {
	do      func(worker int)
	workers int32
	entered atomic.Int32 // members that have come, the caller too; closed when it ends
	left    atomic.Int32 // members that have left; once the call is closed, less those that have entered
	over    chan struct{}
}

// closed is more than ever come.
const closed = 1 << 30

// run calls do(worker) on the caller's goroutine and at most workers-1 others, each
// with a number of its own, and returns when all of these have ended: if together,
// on so many at once, else on whoever comes before the caller is done.
func (c *crew) run(workers int, together bool, do func(worker int)) {
	if !c.busy.TryLock() { // somebody else's, or a call within a call
		var others sync.WaitGroup
		defer others.Wait()
		for m := 1; m < workers; m++ {
			others.Go(func() {
				defer Guard()()
				do(m)
			})
		}
		do(0)
		return
	}
	defer c.busy.Unlock()
	j := &call{do: do, workers: int32(workers), over: make(chan struct{}, 1)}
	j.entered.Store(1)
	defer j.end(together)
	helpers := workers - 1
	if !together { // more than have a core are of no use
		helpers = min(helpers, runtime.GOMAXPROCS(0)-1)
	}
	c.ask(j, helpers)
	do(0)
}

// ask tells the members of the call and brings their number up to helpers.
func (c *crew) ask(j *call, helpers int) {
	c.staff.Lock()
	c.last.Store(j)
	missing := max(0, helpers-c.size)
	c.size += missing
	c.staff.Unlock()
	for range missing {
		go c.help()
	}
}

// help is the life of a member.
func (c *crew) help() {
	defer Guard()()
	for {
		j := c.last.Load()
		j.help()
		if c.lingers(j) {
			continue
		}
		c.staff.Lock()
		gone := c.last.Load() == j
		if gone {
			c.size--
		}
		c.staff.Unlock()
		if gone {
			return
		}
	}
}

// lingers waits for a while for another call than j and reports whether there is one.
func (c *crew) lingers(j *call) bool {
	return look(func() bool { return c.last.Load() != j })
}

// help works for the call unless that has ended or has workers enough.
func (j *call) help() {
	worker := j.entered.Add(1) - 1
	if worker >= j.workers {
		return
	}
	j.do(int(worker))
	if j.left.Add(1) == 0 {
		j.over <- struct{}{}
	}
}

// end returns when all workers have left. Who comes later comes in vain, unless
// all are wanted.
func (j *call) end(together bool) {
	helpers := j.workers - 1
	if !together {
		helpers = min(j.entered.Swap(closed), j.workers) - 1
	}
	if j.left.Add(-helpers) == 0 || look(func() bool { return j.left.Load() == 0 }) {
		j.do = nil // what it holds is free, while the crew remembers the call
		return
	}
	<-j.over
	j.do = nil
}

// looks is how often who waits looks: together some times as long as waking takes.
// After every ownLooks it lets other goroutines have the core. That is rare, because
// two that do so at once may both end up on one core while the other falls asleep.
const (
	looks    = 1 << 16
	ownLooks = 1 << 12
)

// look waits for a while for what it looks for and reports whether that came.
func look(come func() bool) bool {
	for look := range looks {
		if come() {
			return true
		}
		if look%ownLooks == ownLooks-1 {
			runtime.Gosched()
		}
	}
	return false
}
