package race

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/library"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The race of many cores: what a second core brings over dual coordinate ascent on
// one, which is not split; and simulated, how many epochs, and so how much time, a
// training takes when its work is split for up to 64 cores, on a machine that has
// fewer.
func init() {
	register(race{name: "partitions", order: 60, share: 2, run: runPartitions})
}

// turns is what a training takes whose partitions are run one after another.
type turns struct {
	epochs  int           // 0: a minute was not enough
	slowest time.Duration // of every round's slowest partition
	merge   time.Duration // of all merges, which divide
	rest    time.Duration // of everything else: looks, and steps of second order
}

func takeTurns(ctx context.Context, t *task.Task, lossName string, partitions, threads int) (turns, error) {
	f, err := loss.New(lossName)
	if err != nil {
		return turns{}, err
	}
	p, err := problem.NewLinear(problem.NewRows(t.X.X, threads), t.Y, nil, f, penalty.L2{}, 1/float64(t.Rows), problem.None)
	if err != nil {
		return turns{}, err
	}
	var clock dual.Clock
	s, err := solver.Run(ctx, dual.SDCA{Partitions: partitions, Clock: &clock}, p, solver.Options{Gap: task.WholeTarget, Seed: 1, Time: time.Minute})
	if err != nil || s.Status != solver.Converged {
		return turns{}, err
	}
	return turns{epochs: s.Epochs, slowest: clock.Slowest, merge: clock.Merge, rest: s.Train - clock.Work - clock.Merge}, nil
}

// simulatePartitions returns the epochs of a training split into so many
// partitions, and its seconds with a core for each: the slowest partition of every
// round, the merges divided, and of the rest what does not divide. How much of it
// does is seen by its time on one thread and on all of this machine's (Amdahl 1967).
func simulatePartitions(ctx context.Context, t *task.Task, lossName string, partitions, threads int) (epochs int, seconds float64, err error) {
	alone, err := takeTurns(ctx, t, lossName, partitions, 1)
	if err != nil || alone.epochs == 0 {
		return 0, 0, err
	}
	rest := alone.rest
	if partitions > 1 && threads > 1 {
		together, err := takeTurns(ctx, t, lossName, partitions, threads)
		if err != nil || together.epochs == 0 {
			return 0, 0, err
		}
		rest = amdahl(alone.rest, together.rest, threads, partitions)
	}
	took := alone.slowest + alone.merge/time.Duration(partitions) + rest
	return alone.epochs, took.Seconds(), nil
}

// amdahl returns what work should take on so many cores that took alone on one and
// together on threads, at least two.
func amdahl(alone, together time.Duration, threads, cores int) time.Duration {
	divides := (alone - together) * time.Duration(threads) / time.Duration(threads-1)
	divides = min(max(divides, 0), alone)
	return alone - divides + divides/time.Duration(cores)
}

func runPartitions(ctx context.Context, l *lab) error {
	sets := slices.DeleteFunc(l.opt.chosen(), func(s task.Source) bool { return !s.Splits() })
	return l.eachTask(ctx, sets, func(t *task.Task, _ sessions, _ time.Time) error {
		for _, loss := range task.AcceptedLosses {
			if err := l.split(ctx, t, loss); err != nil {
				return err
			}
			if t.Make == nil {
				continue
			}
			for k := 1; k <= 64; k *= 2 {
				epochs, seconds, err := simulatePartitions(ctx, t, loss, k, l.opt.Threads)
				if err != nil {
					return err
				}
				if epochs == 0 {
					break
				}
				m := t.Describe("partitions", "simulated")
				m.Loss, m.Lambda, m.Contender, m.Threads = loss, "1/n", measure.OwnName, k
				m.Target, m.Seconds, m.Note = task.WholeTarget, seconds, fmt.Sprintf("%d epochs", epochs)
				l.log.Add(m)
			}
		}
		return nil
	})
}

// split times dual coordinate ascent in one partition on one core, and what Fenchel
// does by itself on all.
func (l *lab) split(ctx context.Context, t *task.Task, loss string) error {
	both := []library.Ask{{Solver: "sdca:partitions=1", Threads: 1}, {Threads: l.opt.Threads}}
	took := make([]float64, len(both))
	for repeat := 1; repeat <= l.opt.mostRepeats(); repeat++ {
		for k, a := range both {
			if !l.opt.worth(repeat, took[k]) {
				continue
			}
			a.Loss, a.Lambda, a.Gap, a.Limit = loss, "1/n", task.WholeTarget, l.opt.limit
			r, err := library.Fit(ctx, t, a)
			if err != nil {
				return err
			}
			if r.Status != solver.Converged {
				return nil
			}
			took[k] = r.Seconds
			m := t.Describe("partitions", "split")
			m.Loss, m.Lambda, m.Contender, m.Setting, m.Threads = loss, "1/n", measure.OwnName, a.Solver, a.Threads
			m.Target, m.Repeat, m.Seconds, m.Note = task.WholeTarget, repeat, r.Seconds, fmt.Sprintf("%d epochs", r.Epochs)
			l.log.Add(m)
		}
	}
	return nil
}
