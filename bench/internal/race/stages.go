package race

import (
	"context"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A stage is a part of the race: sets and losses, and its share of the time.
type stage struct {
	sets   []task.Source
	losses []string
	share  float64
}

// stages are the chosen sets and losses of the acceptance table, its sets with other
// losses, and other sets.
func (l *lab) stages() []stage {
	other := func(loss string) bool { return slices.Contains(task.AcceptedLosses, loss) }
	var judged, rest []task.Source
	for _, s := range l.opt.chosen() {
		if s.Accept {
			judged = append(judged, s)
		} else {
			rest = append(rest, s)
		}
	}
	all := []stage{{judged, l.opt.accepted(), 10}, {judged, slices.DeleteFunc(slices.Clone(l.opt.losses), other), 1}, {rest, l.opt.losses, 1}}
	return slices.DeleteFunc(all, func(s stage) bool { return len(s.sets) == 0 || len(s.losses) == 0 })
}

func runSolve(ctx context.Context, l *lab) error {
	end, left := l.deadline, 0.0
	stages := l.stages()
	for _, s := range stages {
		left += s.share
	}
	for _, s := range stages {
		l.deadline = sliceOf(time.Now(), end, s.share, left)
		left -= s.share
		if err := l.solveStage(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// solveStage races on the problems of a stage.
func (l *lab) solveStage(ctx context.Context, s stage) error {
	return l.eachTask(ctx, s.sets, func(t *task.Task, open sessions, end time.Time) error {
		left := float64(len(s.losses) * len(l.opt.lambdas()))
		for _, loss := range s.losses {
			for _, lambda := range l.opt.lambdas() {
				c := newContest(l, "solve", t, loss, lambda, open, sliceOf(time.Now(), end, 1, left))
				left--
				if err := c.run(ctx); err != nil {
					return err
				}
				if err := l.references.Save(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// A point is what a competitor reached at one setting of its tolerance.
type point struct {
	contender string
	peer      peer.Peer
	method    peer.Method
	knob      float64
	seconds   float64
	threads   int
	objective float64
	capped    bool // see solved
}

// loosest returns the first of the points, which go from loose to tight, that
// is as accurate as asked. A later one may be worse again: tolerances promise
// nothing about the objective.
func loosest(points []point, least, target float64) (point, bool) {
	for _, p := range points {
		if task.Accuracy(p.objective, least) <= target {
			return p, true
		}
	}
	return point{}, false
}
