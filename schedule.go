package fenchel

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
)

// turns shares workers among the runs of several outputs. A run that is ahead of the others
// waits for them, so that all have made about as many epochs whenever they are interrupted.
// What a run computes does not depend on it.
type turns struct {
	limit   *limit
	workers int
	most    int // runs under way at once
	ahead   int // epochs that a run may always be ahead: where they are short

	mutex  sync.Mutex
	free   int                   // workers without a run
	later  int                   // runs that have not begun
	epochs map[int]int           // made by each run under way
	wait   map[int]chan struct{} // closed when the run has a worker; of each that waits
	until  time.Time             // when those under way are to end; not used without a limit
}

// newTurns is for so many outputs, of which at most so many are under way at once. An epoch
// touches so many numbers.
func newTurns(l *limit, outputs, workers, most int, numbers int64) *turns {
	return &turns{ahead: int(min(shortTurn/max(1, numbers), mostAhead)), limit: l, workers: workers, most: max(most, workers), free: workers, later: outputs,
		epochs: map[int]int{}, wait: map[int]chan struct{}{}}
}

// each calls do for every output, some at once, and returns when all are done.
func (t *turns) each(do func(output int)) {
	if t.later == 1 {
		t.begin(0)
		do(0)
		return
	}
	var all sync.WaitGroup
	room := make(chan struct{}, t.most)
	for c := range t.later {
		room <- struct{}{}
		t.begin(c)
		all.Go(func() {
			defer parallel.Guard()()
			defer func() { t.end(c); <-room }()
			t.next(c, 0)
			do(c)
		})
	}
	all.Wait()
}

// begin makes a run one of those under way, to which the time is due that is theirs by number.
func (t *turns) begin(c int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.later--
	t.epochs[c] = 0
	t.wait[c] = make(chan struct{})
	t.until = t.limit.until(len(t.epochs), t.later)
	t.give()
}

// next returns when a run that has made so many epochs may make another one, and the time
// it has then: those under way share evenly what is left. 0: there is no limit.
func (t *turns) next(c, epochs int) time.Duration {
	t.mutex.Lock()
	t.epochs[c] = epochs
	if least, any := t.least(); any && t.wait[c] == nil && epochs > t.epochs[least]+max(t.epochs[least]/lead, t.ahead) {
		t.wait[c] = make(chan struct{})
		t.free++
		t.give()
	}
	wait := t.wait[c]
	t.mutex.Unlock()
	if wait != nil {
		<-wait
	}
	return t.share()
}

// lead bounds by how much a run may be ahead of those that wait: a part of their epochs, or a
// few of them, as long as these touch fewer numbers than shortTurn. After a change to another
// run little of it is in the caches.
const (
	lead      = 8
	mostAhead = 3
	shortTurn = 1 << 22
)

// share returns the time of a run from now on.
func (t *turns) share() time.Duration {
	if t.limit.time == 0 {
		return 0
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	rounds := (len(t.epochs) + t.workers - 1) / t.workers
	return max(1, time.Until(t.until)/time.Duration(max(1, rounds)))
}

// end takes the worker from a run.
func (t *turns) end(c int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.epochs, c)
	t.free++
	t.give()
}

// give gives free workers to the runs that have made the fewest epochs.
func (t *turns) give() {
	for ; t.free > 0; t.free-- {
		c, any := t.least()
		if !any {
			return
		}
		close(t.wait[c])
		delete(t.wait, c)
	}
}

// least returns the run that waits with the fewest epochs, the first of those.
func (t *turns) least() (least int, any bool) {
	for c := range t.wait {
		if !any || t.epochs[c] < t.epochs[least] || t.epochs[c] == t.epochs[least] && c < least {
			least, any = c, true
		}
	}
	return least, any
}

// limit is the time that a Train may take, from its beginning to its model.
type limit struct {
	begun time.Time
	time  time.Duration // 0: no limit
}

func newLimit(most time.Duration) *limit { return &limit{begun: time.Now(), time: most} }

// LimitError says that the time was over before there was anything to make a model of.
type LimitError struct{ Time time.Duration }

func (e LimitError) Error() string {
	return fmt.Sprintf("time=%v was over while the rows were prepared, before training began: expected more time, fewer rows, or a map of fewer features", e.Time)
}

// until returns when so many outputs that are trained now are to end, if as many are to be
// trained later: all have an even share of what is left. A part of it is kept for making the
// model.
func (l *limit) until(now, later int) time.Time {
	left := l.time*49/50 - time.Since(l.begun)
	return time.Now().Add(left / time.Duration(now+later) * time.Duration(now))
}

// over reports whether the time for training is over.
func (l *limit) over() bool { return l.time > 0 && time.Since(l.begun) > l.time*49/50 }

// roomForRuns is how many bytes the runs that take turns may need in all, by what is known
// beforehand.
const roomForRuns = 2 << 30

// runsAtOnce returns how many outputs may be trained in turns: as many as there is room for. With a
// kernel, rows that one run keeps must not drive out those of another, or each turn would begin
// with computing them again: where they do not all fit into the cache, outputs are trained
// one after another.
func (j *job) runsAtOnce() int {
	if j.pairsAtOnce > 0 {
		return j.workers()
	}
	outputs := int64(j.labels.Outputs())
	n, stored := int64(j.set.Rows()), matrix.Nonzeros(j.set.X)
	if j.labels.Pairs { // the classes of a pair have about so many
		n, stored = 2*n/int64(len(j.labels.Classes)), 2*stored/int64(len(j.labels.Classes))
	}
	const vectors = 8 // of a run, and of its best point, in double precision
	each, room, traits := vectors*8*n, int64(roomForRuns), solver.TraitsOf(j.solver)
	if traits.Memory != nil {
		each += traits.Memory(int(n))
	}
	switch shared := traits.Shared; {
	case shared == nil:
	case j.labels.Pairs: // which have rows of their own
		each += shared(int(n))
	default:
		room -= shared(int(n))
	}
	if !j.spec.IsMachine() {
		if each += vectors * 8 * int64(j.set.Cols()); j.labels.Pairs {
			each += 8 * stored // a copy of the rows
		}
		return int(max(1, room/each))
	}
	matrices, bytes := int64(1), int64(8)
	if f, ok := j.problems.Family.(pose.MachineFamily); ok && f.Gram.Single() {
		bytes = 4
	}
	if j.labels.Pairs {
		matrices, bytes = outputs, 8
	}
	if bytes*n*n*matrices > cmp.Or(j.spec.Cache, gram.DefaultCache) {
		return 1
	}
	return int(max(1, room/each))
}
