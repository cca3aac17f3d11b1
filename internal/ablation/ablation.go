// Package ablation measures what the mechanisms of a solver bring: tests solve a list of
// problems with all of them and with one left out. A mechanism stays if without it a problem
// fails its limit, or the geometric mean over the problems where it acts is 1.25 times the time,
// or a real set takes twice as long and more than 50 ms.
package ablation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Limit is the time after which a run has failed.
const Limit = 30 * time.Second

// An Outcome is how a run ended.
type Outcome struct {
	Status solver.Status
	Epochs int
	Time   time.Duration
	Primal float64
}

// Same reports whether a mechanism that is left out changes nothing.
func (o Outcome) Same(as Outcome) bool { return o.Epochs == as.Epochs && o.Primal == as.Primal }

func (o Outcome) String() string {
	return fmt.Sprintf("%d epochs, %v, %s", o.Epochs, o.Time.Round(100*time.Microsecond), o.Status)
}

// Solve runs s on what make returns, which is not timed: again for a quarter of a second, for
// the least time.
func Solve(ctx context.Context, s solver.Solver, make func() problem.Problem, gap float64) (Outcome, error) {
	best := Outcome{Time: math.MaxInt64}
	for begin := time.Now(); ; {
		p := make()
		start := time.Now()
		r, err := solver.Run(ctx, s, p, solver.Options{Gap: gap, Seed: 1, Time: Limit})
		if err != nil {
			return best, err
		}
		taken := time.Since(start)
		best = Outcome{r.Status, r.Epochs, min(best.Time, taken), r.Certificate.Primal}
		if time.Since(begin)+taken > time.Second/4 {
			return best, nil
		}
	}
}

// A Row is what the problems say about one mechanism.
type Row struct {
	problems, acts, failed int
	epochs, time           float64 // sums of logarithms of ratios where it acts
	worst, best            float64
	worstOf                string
	before, after          time.Duration
	slow                   []string // real sets that take twice as long, and 50 ms
}

// Add adds a problem, given how it was solved with all mechanisms and without this one.
func (r *Row) Add(t *testing.T, problem string, real bool, all, without Outcome) {
	r.problems++
	r.before += all.Time
	if all.Same(without) {
		r.after += all.Time
		return
	}
	r.acts++
	r.after += without.Time
	ratio := without.Time.Seconds() / all.Time.Seconds()
	r.epochs += math.Log(float64(without.Epochs) / float64(max(all.Epochs, 1)))
	r.time += math.Log(ratio)
	if r.worst == 0 || ratio > r.worst {
		r.worst, r.worstOf = ratio, fmt.Sprintf("%s, %v to %v", problem, all.Time.Round(time.Millisecond), without.Time.Round(time.Millisecond))
	}
	if r.best == 0 || ratio < r.best {
		r.best = ratio
	}
	if all.Status == solver.Converged && without.Status != solver.Converged {
		r.failed++
		t.Logf("FAILED %s: %s after %v", problem, without.Status, without.Time)
	}
	if real && ratio > 2 && without.Time-all.Time > 50*time.Millisecond {
		r.slow = append(r.slow, fmt.Sprintf("%s %.1fx to %v", problem, ratio, without.Time.Round(time.Millisecond)))
	}
}

// Empty reports whether no problem was added.
func (r *Row) Empty() bool { return r.problems == 0 }

func (r *Row) String() string {
	n := float64(max(r.acts, 1))
	return fmt.Sprintf("acts on %3d of %d, failed %d, epochs %.2fx, time %.2fx, worst %.2fx (%s), best %.2fx, total %.1f to %.1f s\n    real sets twice as slow: %s",
		r.acts, r.problems, r.failed, math.Exp(r.epochs/n), math.Exp(r.time/n), r.worst, r.worstOf, r.best,
		r.before.Seconds(), r.after.Seconds(), cmp.Or(strings.Join(r.slow, "; "), "none"))
}
