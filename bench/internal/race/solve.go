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

// The race of solving alone: the rows are in memory, the clock runs while the
// solver does. For each problem
//
//  1. the optimum is looked for, see reference;
//  2. Fenchel trains to each target, on one core and on all;
//  3. each method of each peer is swept from loose to tight;
//  4. all who reached a target are timed again, taking turns, so that what
//     disturbs the machine disturbs all alike.
//
// What the acceptance table asks for comes first, and has most of the time.
func init() {
	register(race{name: "solve", order: 10, share: 66, run: runSolve})
}

// run races on one problem.
func (c *contest) run(ctx context.Context) error {
	c.progress("solve %s %s lambda=%s", c.t.Name, c.loss, c.lambda)
	limit := min(c.opt.limit/2, c.share/8)
	if err := c.refer(ctx, limit); err != nil {
		return err
	}
	entries, err := c.enterFenchel(ctx)
	if err != nil {
		return err
	}
	for _, p := range c.peers {
		more, err := c.enterPeer(ctx, p)
		if err != nil {
			return err
		}
		entries = append(entries, more...)
	}
	if err := again(ctx, entries, c.opt.mostRepeats(), c.late); err != nil {
		return err
	}
	c.settle()
	return ctx.Err()
}

// entry is a competitor at one setting: it runs once more and is measured.
type entry func(ctx context.Context, repeat int) error

// again runs all entries in turn until each has run so many times, the first of
// which are over, or until it is late.
func again(ctx context.Context, entries []entry, times int, late func() bool) error {
	for repeat := 2; repeat <= times; repeat++ {
		for _, e := range entries {
			if late() {
				return nil
			}
			if err := e(ctx, repeat); err != nil {
				return err
			}
		}
	}
	return nil
}

// enterFenchel makes the first runs of Fenchel and compares their bits. What
// is out of reach for a target is not tried for a tighter one.
func (c *contest) enterFenchel(ctx context.Context) ([]entry, error) {
	var entries []entry
	var late *library.Training // the run that did not reach its target
	for i, target := range task.Targets {
		var models []string
		for _, threads := range slices.Compact([]int{c.opt.Threads, 1}) {
			if late != nil {
				c.addOwn(late, target, threads, 1)
				continue
			}
			first, err := c.fenchel(ctx, target, threads, 1)
			if err != nil {
				return nil, err
			}
			if first.Status != solver.Converged {
				late = first
				continue
			}
			if first.Seconds < c.ownLimit().Seconds() { // else the clock chose the epoch of the answer
				models = append(models, first.Model)
			}
			if threads == c.opt.Threads {
				if c.own = first.Seconds; i == len(task.Targets)-1 {
					c.trace(first)
				}
			}
			entries = append(entries, func(ctx context.Context, repeat int) error {
				if !c.opt.worth(repeat, first.Seconds) {
					return nil
				}
				_, err := c.fenchel(ctx, target, threads, repeat)
				return err
			})
		}
		if len(models) == 2 {
			m := c.row("bits", measure.OwnName)
			m.Target, m.Note = target, map[bool]string{true: "same", false: "different"}[models[0] == models[1]]
			c.log.Add(m)
		}
	}
	if late != nil {
		c.trace(late)
	}
	return entries, nil
}

// ownLimit is how long one training of Fenchel may take here: with two of them
// there must be time left for others.
func (c *contest) ownLimit() time.Duration { return min(c.opt.limit, max(5*time.Second, c.share/4)) }

// fenchel trains once and notes it.
func (c *contest) fenchel(ctx context.Context, target float64, threads, repeat int) (*library.Training, error) {
	r, err := library.Fit(ctx, c.t, library.Ask{Loss: c.loss, Lambda: c.lambda, Gap: target, Threads: threads, Limit: c.ownLimit()})
	if err != nil {
		return nil, err
	}
	c.references.Improve(c.key(), r.Primal, r.Dual, measure.OwnName)
	c.addOwn(r, target, threads, repeat)
	return r, nil
}

// addOwn notes a training of Fenchel.
func (c *contest) addOwn(r *library.Training, target float64, threads, repeat int) {
	m := c.row("timed", measure.OwnName)
	m.Setting, m.Threads, m.Target, m.Repeat = fmt.Sprintf("gap=%g", target), threads, target, repeat
	m.Seconds, m.Certify, m.Objective, m.Note = r.Seconds, r.Certify, r.Primal, fmt.Sprintf("%d epochs", r.Epochs)
	if r.Status != solver.Converged {
		m.Kind, m.Note = "unreached", fmt.Sprintf("%s after %s", r.Status, measure.Seconds(r.Seconds))
	}
	c.log.Add(m)
}

// trace notes the certificates on the way, for the figures.
func (c *contest) trace(r *library.Training) {
	for _, p := range r.Trace {
		m := c.row("trace", measure.OwnName)
		m.Threads, m.Seconds, m.Objective, m.Note = c.opt.Threads, p.Seconds, p.Primal, fmt.Sprintf("gap %g", p.Gap)
		c.log.Add(m)
	}
}

// worthRepeating is how many times slower than its peer's fastest method a
// method may be and still be timed again.
const worthRepeating = 2

// enterPeer sweeps the methods of a peer. The settings that reach a target
// first are noted as timed, and the faster ones of them entered.
func (c *contest) enterPeer(ctx context.Context, p peer.Peer) ([]entry, error) {
	tightest := task.Targets[len(task.Targets)-1]
	reached := map[float64][]point{}
	for _, m := range p.Methods(c.loss, c.t.Cols) {
		c.extend(p)
		points, short, err := c.sweep(ctx, p, m, tightest)
		if err != nil {
			return nil, err
		}
		c.sweeps[c.key()+" "+p.Name()+" "+m.Name] = points
		for i, got := range points {
			c.addPoint(got, "sweep", 0, i+1)
		}
		for _, target := range task.Targets {
			if got, ok := loosest(points, c.least(), target); ok {
				c.addPoint(got, "timed", target, 1)
				reached[target] = append(reached[target], got)
				continue
			}
			m := c.row("unreached", p.Name()+" "+m.Name)
			m.Target, m.Seconds, m.Note = target, short.seconds, short.why
			c.log.Add(m)
		}
	}
	return c.entriesOf(reached), nil
}

// entriesOf are the points worth timing again. One that is the loosest for
// several targets runs once for all of them.
func (c *contest) entriesOf(reached map[float64][]point) []entry {
	type setting struct {
		contender string
		knob      float64
	}
	points, serves := map[setting]point{}, map[setting][]float64{}
	var order []setting
	for _, target := range task.Targets {
		fastest := -1.0
		for _, got := range reached[target] {
			if fastest < 0 || got.seconds < fastest {
				fastest = got.seconds
			}
		}
		for _, got := range reached[target] {
			if s := (setting{got.contender, got.knob}); got.seconds <= worthRepeating*fastest {
				if len(serves[s]) == 0 {
					order = append(order, s)
				}
				points[s], serves[s] = got, append(serves[s], target)
			}
		}
	}
	var entries []entry
	for _, s := range order {
		entries = append(entries, func(ctx context.Context, repeat int) error {
			if !c.opt.worth(repeat, points[s].seconds) {
				return nil
			}
			got, err := c.Solve(ctx, points[s].peer, points[s].method, s.knob)
			if err != nil {
				return ctx.Err() // once too slow or broken: the first time stands
			}
			for _, target := range serves[s] {
				c.addPoint(got, "timed", target, repeat)
			}
			return nil
		})
	}
	return entries
}

// addPoint notes what a peer reached.
func (c *contest) addPoint(got point, kind string, target float64, repeat int) {
	m := c.row(kind, got.contender)
	m.Setting, m.Target, m.Repeat = fmt.Sprintf("%s=%g", got.method.Knob, got.knob), target, repeat
	m.Threads, m.Seconds, m.Objective = max(1, got.threads), got.seconds, got.objective
	c.log.Add(m)
}

// settle notes the reference, and how accurate all competitors were against it.
func (c *contest) settle() {
	known := c.references.Find(c.key())
	for i := c.first; i < len(c.log.Rows); i++ {
		if m := &c.log.Rows[i]; m.Objective != 0 {
			m.Accuracy = task.Accuracy(m.Objective, known.Primal)
		}
	}
	m := c.row("reference", known.By)
	m.Objective, m.Accuracy = known.Primal, known.Gap()
	m.Note = fmt.Sprintf("proved to be at least %.10g", known.Dual)
	c.log.Add(m)
}
