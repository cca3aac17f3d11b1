package race

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/library"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/solver"
)

// The race of methods that have the same name here and in scikit-learn: logistic loss, lambda = 1/n, to
// the same accuracy of the objective. scikit-learn has for each method the loosest tolerance that is
// accurate enough; Fenchel has to prove it. The runs take turns.
func init() {
	register(race{name: "named", order: 65, share: 3, run: runNamed})
}

// namedSets are those raced on.
var namedSets = []string{"imdb", "covtype2", "mnist8"}

func runNamed(ctx context.Context, l *lab) error {
	at := slices.IndexFunc(l.peers, func(p peer.Peer) bool { return len(peer.SameNames(p)) > 0 })
	if at < 0 {
		return errSkip("no peer with methods of the same names is installed")
	}
	sets := slices.DeleteFunc(l.opt.chosen(), func(s task.Source) bool { return !slices.Contains(namedSets, s.Name) })
	return l.eachTask(ctx, sets, func(t *task.Task, open sessions, end time.Time) error {
		c := newContest(l, "named", t, "logistic", "1/n", open, end)
		c.peerEnd = c.deadline
		if err := c.refer(ctx, c.opt.limit); err != nil {
			return err
		}
		for _, m := range peer.SameNames(l.peers[at]) {
			if err := c.named(ctx, l.peers[at], m); err != nil {
				return err
			}
		}
		c.settle()
		return ctx.Err()
	})
}

// named races one method against that of its name.
func (c *contest) named(ctx context.Context, p peer.Peer, m peer.Method) error {
	c.progress("named %s %s", c.t.Name, m.Name)
	points, short, err := c.sweep(ctx, p, m, task.WholeTarget)
	if err != nil {
		return err
	}
	theirs, ok := loosest(points, c.least(), task.WholeTarget)
	if !ok {
		c.note("named: %s %s on %s: %s", p.Name(), m.Name, c.t.Name, short.why)
	}
	for repeat := 1; repeat <= c.opt.repeats && (repeat == 1 || !c.late()); repeat++ {
		if err := c.namedOwn(ctx, m.Name, repeat); err != nil {
			return err
		}
		if !ok {
			continue
		}
		if repeat > 1 {
			if theirs, err = c.Solve(ctx, p, m, theirs.knob); err != nil {
				return ctx.Err()
			}
		}
		c.addPoint(theirs, m.Name, task.WholeTarget, repeat)
	}
	return nil
}

// namedOwn runs Fenchel's method of that name.
func (c *contest) namedOwn(ctx context.Context, name string, repeat int) error {
	r, err := library.Fit(ctx, c.t, library.Ask{Loss: c.loss, Lambda: c.lambda, Solver: name, Gap: task.WholeTarget, Threads: c.opt.Threads, Limit: c.ownLimit()})
	if err != nil {
		return err
	}
	if r.Status != solver.Converged {
		c.note("named: %s on %s: %s", name, c.t.Name, r.Status)
		return nil
	}
	m := c.row(name, measure.OwnName+" "+name)
	m.Threads, m.Target, m.Repeat, m.Seconds, m.Certify = c.opt.Threads, task.WholeTarget, repeat, r.Seconds, r.Certify
	m.Objective, m.Note = r.Primal, fmt.Sprintf("%d epochs", r.Epochs)
	c.log.Add(m)
	return nil
}
