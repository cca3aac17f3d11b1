package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/solver/linear"
)

// The race of many cores: what a second core brings over dual coordinate ascent on
// one, which is not split; and simulated, how many epochs, and so how much time, a
// training takes when its work is split for up to 64 cores, on a machine that has
// fewer.
func init() {
	register(race{name: "partitions", order: 60, share: 2, run: runPartitions, section: partitionsSection})
}

// simulatePartitions returns the epochs of a training split into so many
// partitions, and its seconds with a core for each: what cannot be split, the
// slowest partition of every round, and the merges, which split as well. No
// epochs mean that a minute was not enough.
func simulatePartitions(ctx context.Context, t *task, lossName string, partitions int) (epochs int, seconds float64, err error) {
	f, err := loss.New(lossName)
	if err != nil {
		return 0, 0, err
	}
	rows := problem.NewRows(t.x.X, 1) // one thread: the merges are divided by the partitions below
	p, err := problem.NewLinear(rows, t.y, nil, f, penalty.L2{}, 1/float64(t.rows), problem.None)
	if err != nil {
		return 0, 0, err
	}
	var clock linear.Clock
	s, err := solver.Run(ctx, linear.SDCA{Partitions: partitions, Clock: &clock}, p, solver.Options{Gap: wholeTarget, Seed: 1, Time: time.Minute})
	if err != nil {
		return 0, 0, err
	}
	if s.Status != solver.Converged {
		return 0, 0, nil
	}
	took := s.Train - clock.Work + clock.Slowest - clock.Merge + clock.Merge/time.Duration(partitions)
	return s.Epochs, took.Seconds(), nil
}

func runPartitions(ctx context.Context, l *lab) error {
	sets := slices.DeleteFunc(l.opt.chosen(), func(s source) bool { return !s.splits() })
	return l.eachTask(ctx, sets, func(t *task, _ sessions, _ time.Time) error {
		for _, loss := range acceptedLosses {
			if err := l.split(ctx, t, loss); err != nil {
				return err
			}
			if t.make == nil {
				continue
			}
			for k := 1; k <= 64; k *= 2 {
				epochs, seconds, err := simulatePartitions(ctx, t, loss, k)
				if err != nil {
					return err
				}
				if epochs == 0 {
					break
				}
				m := t.describe("partitions", "simulated")
				m.Loss, m.Lambda, m.Contender, m.Threads = loss, "1/n", ownName, k
				m.Target, m.Seconds, m.Note = wholeTarget, seconds, fmt.Sprintf("%d epochs", epochs)
				l.log.add(m)
			}
		}
		return nil
	})
}

// splits reports whether a second core must help on a set.
func (s source) splits() bool { return s.make != nil || s.name == "imdb" }

// split times dual coordinate ascent in one partition on one core, and what Fenchel
// does by itself on all.
func (l *lab) split(ctx context.Context, t *task, loss string) error {
	both := []ask{{solver: "sdca:partitions=1", threads: 1}, {threads: l.opt.threads}}
	took := make([]float64, len(both))
	for repeat := 1; repeat <= l.opt.mostRepeats(); repeat++ {
		for k, a := range both {
			if !l.opt.worth(repeat, took[k]) {
				continue
			}
			a.loss, a.lambda, a.gap, a.limit = loss, "1/n", wholeTarget, l.opt.limit
			r, err := fit(ctx, t, a)
			if err != nil {
				return err
			}
			if r.status != solver.Converged {
				return nil
			}
			took[k] = r.seconds
			m := t.describe("partitions", "split")
			m.Loss, m.Lambda, m.Contender, m.Setting, m.Threads = loss, "1/n", ownName, a.solver, a.threads
			m.Target, m.Repeat, m.Seconds, m.Note = wholeTarget, repeat, r.seconds, fmt.Sprintf("%d epochs", r.epochs)
			l.log.add(m)
		}
	}
	return nil
}

func partitionsSection(rows []measurement) string {
	t := newTable("set", "loss", "cores", "epochs", "seconds", "speed-up")
	one := map[string]float64{}
	rows = where(rows, func(m measurement) bool { return m.Kind == "simulated" })
	for _, m := range rows {
		if m.Threads == 1 {
			one[m.Set+m.Loss] = m.Seconds
		}
		t.add(m.Set, m.Loss, fmt.Sprint(m.Threads), strings.TrimSuffix(m.Note, " epochs"), seconds(m.Seconds), ratio(one[m.Set+m.Loss], m.Seconds))
	}
	return t.under("Many cores, simulated", "Each core's share of the work, timed one after another: what a machine with so many cores would need.")
}
