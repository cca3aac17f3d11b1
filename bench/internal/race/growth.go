package race

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/library"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// The race of growth: how the time to accuracy 1e-3 grows with the rows, the
// columns and the nonzeros of a row, lambda = 1/n. The exponent is the slope of
// log time over log size.
func init() {
	register(race{name: "growth", order: 30, share: 7, run: runGrowth})
}

// family is sets that differ in one size only.
type family struct {
	name  string
	sizes []int
	make  func(size int) task.Documents
}

// families have so many times fewer rows than in a full run.
func families(scale int) []family {
	rows := []int{12500, 25000, 50000, 100000, 200000}
	for i := range rows {
		rows[i] /= scale
	}
	at := func(rows, cols, words int) task.Documents {
		return task.Documents{Rows: rows, Cols: cols, Words: words, Seed: 2}
	}
	return []family{
		{"rows", rows, func(n int) task.Documents { return at(n, 47000, 75) }},
		{"columns", []int{2000, 8000, 32000, 128000, 512000}, func(d int) task.Documents { return at(50000/scale, d, 75) }},
		{"nonzeros", []int{10, 20, 40, 80, 160}, func(k int) task.Documents { return at(50000/scale, 47000, k) }},
	}
}

func runGrowth(ctx context.Context, l *lab) error {
	all := families(max(1, 200000/l.opt.Rows)) // what is shaped like rcv1 shrinks with it
	left := 0.0
	for _, f := range all {
		left += float64(len(f.sizes))
	}
	for _, f := range all {
		for _, size := range f.sizes {
			end := sliceOf(time.Now(), l.deadline, 1, left)
			left--
			if err := l.grow(ctx, f, size, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// grow times all competitors on one set of a family.
func (l *lab) grow(ctx context.Context, f family, size int, end time.Time) error {
	t, err := memoryTask(ctx, l, fmt.Sprintf("%s=%d", f.name, size), f.make(size))
	if err != nil {
		return err
	}
	defer os.RemoveAll(t.Dir)
	open := sessions{}
	defer open.Close()
	losses := l.opt.accepted()
	for i, loss := range losses {
		c := newContest(l, "growth", t, loss, "1/n", open, sliceOf(time.Now(), end, 1, float64(len(losses)-i)))
		if err := c.runGrowth(ctx, f.name); err != nil {
			return err
		}
	}
	return nil
}

func (c *contest) runGrowth(ctx context.Context, name string) error {
	c.progress("growth %s %s", c.t.Name, c.loss)
	r, err := library.Fit(ctx, c.t, library.Ask{Loss: c.loss, Lambda: c.lambda, Gap: 1e-5, Threads: c.opt.Threads, Limit: c.ownLimit()})
	if err != nil {
		return err
	}
	c.references.Improve(c.key(), r.Primal, r.Dual, measure.OwnName)
	c.own = r.Seconds
	for _, threads := range slices.Compact([]int{1, c.opt.Threads}) {
		if err := c.growFenchel(ctx, name, threads); err != nil {
			return err
		}
	}
	for _, p := range c.peers {
		if p.Name() != "liblinear" { // the others would need the whole budget
			continue
		}
		c.extend(p)
		best, found, err := c.fastest(ctx, p, task.WholeTarget)
		if err != nil {
			return err
		}
		for repeat := 1; found && repeat <= c.opt.repeats && (repeat == 1 || !c.late()); repeat++ {
			if repeat > 1 {
				if best, err = c.Solve(ctx, p, best.method, best.knob); err != nil {
					return ctx.Err()
				}
			}
			best.contender = p.Name() // its best solver may change with the size
			c.addPoint(best, name, task.WholeTarget, repeat)
		}
	}
	c.settle()
	return ctx.Err()
}

func (c *contest) growFenchel(ctx context.Context, name string, threads int) error {
	for repeat := range c.opt.repeats {
		r, err := library.Fit(ctx, c.t, library.Ask{Loss: c.loss, Lambda: c.lambda, Gap: task.WholeTarget, Threads: threads, Limit: c.ownLimit()})
		if err != nil {
			return err
		}
		if r.Status != solver.Converged {
			return nil
		}
		m := c.row(name, measure.OwnName)
		m.Threads, m.Target, m.Repeat, m.Seconds, m.Certify = threads, task.WholeTarget, repeat+1, r.Seconds, r.Certify
		m.Objective, m.Note = r.Primal, fmt.Sprintf("%d epochs", r.Epochs)
		c.log.Add(m)
		if c.late() {
			break
		}
	}
	return nil
}

// memoryTask is a task that leaves nothing on disk but what peers load, in a
// folder that the caller removes.
func memoryTask(ctx context.Context, l *lab, name string, g task.Documents) (*task.Task, error) {
	set, err := data.Read(ctx, []string{g.Spec()}, data.Options{})
	if err != nil {
		return nil, err
	}
	rows, cols := set.X.Dims()
	t := &task.Task{Source: task.Source{Name: name}, Dir: filepath.Join(l.opt.Work, "sets", "growing"), Set: set, Rows: rows, Cols: cols,
		Y: set.Target.Number, Nonzeros: task.Nonzeros(set.X), Digest: set.Digest(), X: problem.NewRows(set.X, l.opt.Threads)}
	t.Binary = filepath.Join(t.Dir, "data.bin")
	if err := os.MkdirAll(t.Dir, 0o777); err != nil {
		return nil, err
	}
	return t, file.WriteFile(t.Binary, func(w io.Writer) error { return task.WriteTask(w, set.X, t.Y) })
}

// grow runs on the first rows of the set: an eighth, a quarter, half of them.
func (c *kernelContest) grow(ctx context.Context, end time.Time) error {
	for _, p := range []struct {
		part         int
		effort, left float64 // like the square of the rows
	}{{8, 1, 21}, {4, 4, 20}, {2, 16, 16}} {
		t, err := firstRows(ctx, c.lab, c.t, c.t.Rows/p.part)
		if err != nil {
			return err
		}
		small := newKernelContest(c.lab, c.KernelProblem, t, c.binary, sliceOf(time.Now(), end, p.effort, p.left))
		small.kind, small.repeats = "rows", min(2, c.repeats)
		err = small.run(ctx)
		if err := os.RemoveAll(t.Dir); err != nil {
			return err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstRows is a task of the first rows of another one, in a folder that the
// caller removes.
func firstRows(ctx context.Context, l *lab, t *task.Task, rows int) (*task.Task, error) {
	part := &task.Task{Source: task.Source{Name: fmt.Sprintf("rows=%d", rows)}, Dir: filepath.Join(l.opt.Work, "sets", "part")}
	part.Text = filepath.Join(part.Dir, "data.svm")
	if err := os.MkdirAll(part.Dir, 0o777); err != nil {
		return nil, err
	}
	from, err := os.Open(t.Text)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	in := bufio.NewReader(from)
	err = file.WriteFile(part.Text, func(w io.Writer) error {
		for range rows {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return part, part.Load(ctx, &l.opt.Config)
}
