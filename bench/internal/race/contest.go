package race

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/library"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// mostSlower is how many times Fenchel's time to the tightest target that it reached
// a training of a peer may take before it is given up: more than any requirement.
const mostSlower = 20

// A training of a peer that takes more than slowTraining seconds is followed by every
// second setting only, and ends the sweep where it shows that the peer is slower
// than is required, slowEnough times, at the tightest target.
const (
	slowTraining = 10
	slowEnough   = 2.5
)

// contest is one problem, and what the competitors showed on it so far.
type contest struct {
	*lab
	t        *task.Task
	loss     string
	lambda   task.Lambda
	share    time.Duration // of the budget
	deadline time.Time     // when it is spent
	sweepEnd time.Time     // when there must be an end of sweeping
	peerEnd  time.Time     // the same for the peer at hand
	sessions sessions
	race     string
	first    int     // of this contest's measurements in the log
	own      float64 // Fenchel's seconds to the tightest target that it reached; 0: to none
}

// leastShare is what every contest gets, whatever those before it took.
const leastShare = 5 * time.Second

// newContest begins a contest that may last until the deadline.
func newContest(l *lab, race string, t *task.Task, loss string, lambda task.Lambda, open sessions, deadline time.Time) *contest {
	share := max(leastShare, time.Until(deadline))
	return &contest{lab: l, race: race, t: t, loss: loss, lambda: lambda, sessions: open, first: len(l.log.Rows),
		share: share, deadline: time.Now().Add(share), sweepEnd: time.Now().Add(share * 7 / 10)}
}

// extend sees to it that LIBLINEAR, by which Fenchel is judged, has time to be
// swept whatever Fenchel took, each method for itself, and that the others do not
// inherit that time.
func (c *contest) extend(p peer.Peer) {
	if p.Name() == "liblinear" {
		c.peerEnd = later(c.sweepEnd, time.Now().Add(c.share/4))
		return
	}
	c.peerEnd = c.sweepEnd
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// sessions are the peers that have the rows of a task in memory.
type sessions map[peer.Peer]peer.Session

func (s sessions) Close() {
	for _, open := range s {
		open.Close()
	}
}

func (c *contest) key() string { return task.ReferenceKey(c.t.Digest, c.loss, c.lambda) }

func (c *contest) least() float64 { return c.references.Find(c.key()).Primal }

// row begins a measurement of this contest.
func (c *contest) row(kind, contender string) measure.Measurement {
	m := c.t.Describe(c.race, kind)
	m.Loss, m.Lambda, m.Contender = c.loss, string(c.lambda), contender
	return m
}

// late reports whether the time for this contest is over.
func (c *contest) late() bool { return time.Now().After(c.deadline) }

// session returns the peer with the rows loaded; nil when it cannot load them.
func (c *contest) session(ctx context.Context, p peer.Peer) peer.Session {
	if s, ok := c.sessions[p]; ok {
		return s
	}
	s, err := p.Open(ctx, c.t)
	if err != nil {
		c.note("%s did not load %s: %v", p.Name(), c.t.Name, err)
		return nil
	}
	c.sessions[p] = s
	return s
}

// refer looks for the optimum with the library, unless a good one is known.
func (c *contest) refer(ctx context.Context, limit time.Duration) error {
	if c.references.Find(c.key()).Gap() <= 2e-9 {
		return nil
	}
	r, err := library.Fit(ctx, c.t, library.Ask{Loss: c.loss, Lambda: c.lambda, Gap: 1e-9, Threads: c.opt.Threads, Limit: limit})
	if err != nil {
		return err
	}
	c.references.Improve(c.key(), r.Primal, r.Dual, measure.OwnName)
	return nil
}

// allowed is how long one training of a peer may take.
func (c *contest) allowed() time.Duration {
	allowed := c.opt.limit
	if c.own > 0 {
		allowed = min(allowed, max(time.Second, time.Duration(mostSlower*c.own*float64(time.Second))))
	}
	return allowed
}

// Solve lets a peer train once, and judges its weights. A training that took
// too long is errTimeout.
func (c *contest) Solve(ctx context.Context, p peer.Peer, m peer.Method, knob float64) (point, error) {
	got := point{contender: p.Name() + " " + m.Name, peer: p, method: m, knob: knob, objective: math.Inf(1)}
	s := c.session(ctx, p)
	if s == nil {
		return got, errSkip("not loaded")
	}
	limited, cancel := context.WithTimeout(ctx, c.allowed())
	defer cancel()
	solved, err := s.Solve(limited, peer.Job{Task: c.t, Loss: c.loss, Lambda: c.lambda, Method: m, Knob: knob})
	if errors.Is(err, peer.ErrTimeout) {
		got.seconds = c.allowed().Seconds()
	}
	if err != nil {
		return got, err
	}
	got.seconds, got.threads, got.capped = solved.Seconds, solved.Threads, solved.Capped
	if got.objective, err = library.Judge(c.t, c.loss, c.lambda, solved.Weights); err == nil {
		c.references.Improve(c.key(), got.objective, 0, got.contender)
	}
	return got, err
}

// shortfall is why a sweep ended before its target; the zero value: it did not.
type shortfall struct {
	why string
	// The target takes longer than this: a tighter setting of a method does
	// what a looser one did, and then more. 0: nothing is known.
	seconds float64
}

// sweep runs through the settings of a method until one reaches the target,
// and returns what was reached and why no more.
func (c *contest) sweep(ctx context.Context, p peer.Peer, m peer.Method, target float64) (points []point, short shortfall, err error) {
	spent, last := 0.0, 0.0
	for k, knob := range m.Ladder {
		if last > slowTraining && k%2 == 1 && k+1 < len(m.Ladder) {
			continue
		}
		if time.Now().After(c.peerEnd) {
			return points, shortfall{measure.OutOfBudget, last}, nil
		}
		got, err := c.Solve(ctx, p, m, knob)
		switch {
		case ctx.Err() != nil:
			return points, short, ctx.Err()
		case errors.Is(err, peer.ErrTimeout):
			return points, shortfall{fmt.Sprintf("stopped after %.3g s at %s=%g", got.seconds, m.Knob, knob), got.seconds}, nil
		case err != nil:
			c.note("%s on %s: %v", got.contender, c.t.Name, err)
			return points, shortfall{why: err.Error()}, nil
		}
		points = append(points, got)
		spent += got.seconds
		last = got.seconds
		switch {
		case task.Accuracy(got.objective, c.least()) <= target:
			return points, short, nil
		case got.capped:
			return points, shortfall{fmt.Sprintf("stopped at its limit of iterations after %.3g s", last), last}, nil
		case settled(points):
			return points, shortfall{"tighter settings change nothing", last}, nil
		case c.slow(points):
			return points, shortfall{fmt.Sprintf("given up, slower than is asked for, after %.3g s at %s=%g", last, m.Knob, knob), last}, nil
		case spent > 3*c.allowed().Seconds():
			return points, shortfall{fmt.Sprintf("given up after %.3g s at %s=%g", got.seconds, m.Knob, knob), got.seconds}, nil
		}
	}
	return points, shortfall{"its tightest setting was not accurate enough", last}, nil
}

// slow reports whether a peer needs no tighter settings to be judged: it has reached
// what whole processes are raced to, and is slower than it may be at the rest.
func (c *contest) slow(points []point) bool {
	last := points[len(points)-1].seconds
	_, ok := loosest(points, c.least(), task.WholeTarget)
	return ok && c.own > 0 && last > max(slowTraining, slowEnough*c.own)
}

// settled reports whether tighter settings have stopped to change the answer,
// as at a limit of iterations. The loosest may all stop before they begin.
func settled(points []point) bool {
	n := len(points)
	if n < 4 || points[n-1].knob > 0.1 {
		return false
	}
	last := points[n-4:]
	return !slices.ContainsFunc(last, func(p point) bool { return p.objective != last[0].objective })
}

// fastest returns the setting with which a peer is soonest at the target.
func (c *contest) fastest(ctx context.Context, p peer.Peer, target float64) (best point, found bool, err error) {
	for _, m := range p.Methods(c.loss, c.t.Cols) {
		key := c.key() + " " + p.Name() + " " + m.Name
		points, swept := c.sweeps[key]
		if !swept {
			if points, _, err = c.sweep(ctx, p, m, target); err != nil {
				return best, found, err
			}
			c.sweeps[key] = points
		}
		if got, ok := loosest(points, c.least(), target); ok && (!found || got.seconds < best.seconds) {
			best, found = got, true
		}
	}
	return best, found, nil
}

// eachTask opens the chosen sets one after another, and gives each its share
// of the time that the race has left.
func (l *lab) eachTask(ctx context.Context, sets []task.Source, do func(*task.Task, sessions, time.Time) error) error {
	total := 0.0
	for _, s := range sets {
		total += s.Effort()
	}
	for _, s := range sets {
		end := sliceOf(time.Now(), l.deadline, s.Effort(), total)
		total -= s.Effort()
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := task.OpenTask(ctx, &l.opt.Config, s)
		if errors.Is(err, fs.ErrNotExist) {
			l.note("The set %s is not here: no %s in --data", s.Name, filepath.FromSlash(s.File))
			continue
		}
		if err != nil {
			return err
		}
		open := sessions{}
		err = do(t, open, end)
		open.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}
