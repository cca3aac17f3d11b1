package race

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// The race of kernel machines: whole processes, from text to the model on disk,
// as in the race of that name. The objective of LIBSVM's model is rebuilt from
// its coefficients and the rows. For each problem
//
//  1. Fenchel trains on all cores, on one, and with a small cache;
//  2. the optimum is looked for, to a tenth of the gap asked for;
//  3. each peer is swept from loose to tight, and stopped where it has shown to
//     be slower than the acceptance table asks;
//  4. Fenchel and who reached the accuracy are timed again, taking turns.
//
// On sets too large for peers Fenchel is alone, and has three minutes. The parts
// of one set show how time grows with the rows.
func init() {
	register(race{name: "kernel", order: 70, share: 55, run: runKernel})
}

func runKernel(ctx context.Context, l *lab) error {
	binary, err := l.fenchelBinary(ctx)
	if err != nil {
		return err
	}
	problems := map[string]task.KernelProblem{}
	var sets []task.Source
	for _, p := range l.opt.kernelProblems() {
		s := task.SourceOf(p.Set)
		s.Share, problems[p.Set] = p.Share, p
		sets = append(sets, s)
	}
	return l.eachTask(ctx, sets, func(t *task.Task, _ sessions, end time.Time) error {
		grows := t.Name == task.Growing && !l.opt.quick
		whole := end
		if grows { // most of the time is for all rows
			whole = sliceOf(time.Now(), end, 3, 4)
		}
		c := newKernelContest(l, problems[t.Name], t, binary, whole)
		if c.test, err = t.TestRows(ctx, &l.opt.Config); err != nil {
			return err
		}
		if err := c.run(ctx); err != nil || !grows {
			return err
		}
		return c.grow(ctx, end)
	})
}

// kernelContest is one problem of a kernel machine, and who showed what on it.
type kernelContest struct {
	*lab
	task.KernelProblem
	t        *task.Task
	test     *data.Set // nil: none
	binary   string    // the command fenchel
	kind     string    // of the rows of whole processes
	repeats  int
	first    int // of this contest's measurements in the log
	deadline time.Time
	own      float64 // Fenchel's seconds on all cores; 0: not reached
}

func newKernelContest(l *lab, p task.KernelProblem, t *task.Task, binary string, deadline time.Time) *kernelContest {
	return &kernelContest{lab: l, KernelProblem: p, t: t, binary: binary, kind: "text", repeats: l.opt.repeats, first: len(l.log.Rows),
		deadline: later(deadline, time.Now().Add(leastShare))}
}

// key names the problem among the references.
func (c *kernelContest) key() string {
	return task.ReferenceKey(c.t.Digest, "hinge "+c.Kernel()+" free bias", c.Lambda())
}

func (c *kernelContest) least() float64 { return c.references.Find(c.key()).Primal }

// row begins a measurement of this contest.
func (c *kernelContest) row(kind, contender string) measure.Measurement {
	m := c.t.Describe("kernel", kind)
	m.Loss, m.Lambda, m.Kernel, m.Contender, m.Bytes = "hinge", string(c.Lambda()), c.Kernel(), contender, c.t.TextBytes
	return m
}

func (c *kernelContest) late() bool { return time.Now().After(c.deadline) }

func (c *kernelContest) run(ctx context.Context) error {
	c.progress("kernel %s C=%g gamma=%g", c.t.Name, c.C, c.Gamma)
	entries, err := c.enterFenchel(ctx)
	if err != nil {
		return err
	}
	if c.Within == 0 && c.own > 0 {
		if err := c.refer(ctx); err != nil {
			return err
		}
		for _, p := range c.machines {
			more, err := c.enterPeer(ctx, p)
			if err != nil {
				return err
			}
			entries = append(entries, more...)
		}
	}
	if err := again(ctx, entries, c.repeats, c.late); err != nil {
		return err
	}
	c.settle()
	return errors.Join(ctx.Err(), c.references.Save())
}

// enterPeer sweeps a peer, and enters it at the first tolerance that is accurate
// enough.
func (c *kernelContest) enterPeer(ctx context.Context, p peer.MachinePeer) ([]entry, error) {
	best, knob, short, err := c.sweep(ctx, p)
	if err != nil {
		return nil, err
	}
	if short.why != "" {
		m := c.row("unreached", p.Name())
		m.Target, m.Seconds, m.Note = c.Gap, short.seconds, short.why
		c.log.Add(m)
		return nil, nil
	}
	best.Kind, best.Target = c.kind, c.Gap
	c.log.Add(best)
	return []entry{func(ctx context.Context, repeat int) error {
		again, err := c.time(ctx, p, knob)
		if err != nil {
			return ctx.Err() // once too slow or broken: the first time stands
		}
		m := best // what it learns does not change
		m.Repeat, m.Seconds, m.Peak = repeat, again.Seconds, again.Peak
		c.log.Add(m)
		return nil
	}}, nil
}

// sweep tightens the tolerance of a peer until its model is accurate enough, and
// returns the measurement of that training, or why there is none. What is above
// the optimum falls like the tolerance or somewhat faster; tolerances that would
// not do even if it fell like the square are left out, as each costs a training.
func (c *kernelContest) sweep(ctx context.Context, p peer.MachinePeer) (best measure.Measurement, knob float64, short shortfall, err error) {
	last, hopeful := 0.0, math.Inf(1)
	for i, knob := range peer.Tolerances {
		switch {
		case knob > hopeful:
			continue
		case c.late() && (i > 0 || p.Name() != "libsvm"): // Fenchel is judged by LIBSVM
			return best, 0, shortfall{measure.OutOfBudget, last}, nil
		}
		r, err := c.time(ctx, p, knob)
		switch {
		case ctx.Err() != nil:
			return best, 0, short, ctx.Err()
		case errors.Is(err, peer.ErrTimeout):
			return best, 0, shortfall{fmt.Sprintf("stopped after %.3g s at e=%g", r.Seconds, knob), r.Seconds}, nil
		case err != nil:
			c.note("%s on %s: %v", p.Name(), c.t.Name, err)
			return best, 0, shortfall{why: err.Error()}, nil
		}
		m, err := c.judge(ctx, p, r, knob)
		if err != nil {
			return best, 0, short, err
		}
		m.Repeat = i + 1
		c.log.Add(m)
		reached := task.Accuracy(m.Objective, c.least())
		if reached <= c.Gap {
			m.Repeat = 1
			return m, knob, short, nil
		}
		last, hopeful = r.Seconds, knob*math.Sqrt(c.Gap/reached)
	}
	return best, 0, shortfall{"its tightest setting was not accurate enough", last}, nil
}

// time runs a peer once. One that took too long is errTimeout, and its seconds
// what it was given.
func (c *kernelContest) time(ctx context.Context, p peer.MachinePeer, knob float64) (peer.ProcessResult, error) {
	allowed := max(c.opt.limit, time.Duration(c.Patience()*c.own*float64(time.Second)))
	limited, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	c.progress("%s e=%g on %s", p.Name(), knob, c.t.Name)
	r, err := peer.RunProcess(limited, p.Machine(peer.MachineJob{Task: c.t, C: c.C, Gamma: c.Gamma, Knob: knob, Threads: c.opt.Threads}, c.modelOf(p.Name())))
	if errors.Is(err, peer.ErrTimeout) {
		r.Seconds = allowed.Seconds()
	}
	return r, err
}

// modelOf is where a competitor writes its model.
func (c *kernelContest) modelOf(name string) string {
	return filepath.Join(c.t.Dir, name+".kernel-model")
}

// judge measures what a peer learned: its objective is rebuilt from the rows.
func (c *kernelContest) judge(ctx context.Context, p peer.MachinePeer, r peer.ProcessResult, knob float64) (measure.Measurement, error) {
	m := c.row("sweep", p.Name())
	m.Setting, m.Threads, m.Seconds, m.Peak = fmt.Sprintf("e=%g", knob), 1, r.Seconds, r.Peak
	if p.Name() == "thundersvm" {
		m.Threads = c.opt.Threads
	}
	learned, err := p.Learned(ctx, c.modelOf(p.Name()))
	if err != nil {
		return m, err
	}
	audit, err := fenchel.Audit(ctx, learned, c.t.Set, fenchel.AuditOptions{C: c.C, Threads: c.opt.Threads})
	if err != nil {
		return m, fmt.Errorf("%s: %w", p.Name(), err)
	}
	c.references.Improve(c.key(), audit.Summary.Primal, audit.Summary.Dual, p.Name())
	m.Objective, m.Support = audit.Summary.Primal, int64(learned.Support.Len())
	m.Test, err = c.testAccuracy(learned)
	return m, err
}

// testAccuracy is 0 where there are no test rows.
func (c *kernelContest) testAccuracy(learned *model.Model) (float64, error) {
	if c.test == nil {
		return 0, nil
	}
	e, err := fenchel.Evaluate(context.Background(), learned, c.test, fenchel.Options{Threads: c.opt.Threads})
	if err != nil {
		return 0, err
	}
	return *e.Accuracy, nil
}

// settle notes the reference, and how accurate all competitors were against it.
func (c *kernelContest) settle() {
	known := c.references.Find(c.key())
	if known.Primal == math.MaxFloat64 {
		return
	}
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
