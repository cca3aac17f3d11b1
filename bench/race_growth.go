package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
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
	make  func(size int) documents
}

// families have so many times fewer rows than in a full run.
func families(scale int) []family {
	rows := []int{12500, 25000, 50000, 100000, 200000}
	for i := range rows {
		rows[i] /= scale
	}
	at := func(rows, cols, words int) documents {
		return documents{rows: rows, cols: cols, words: words, seed: 2}
	}
	return []family{
		{"rows", rows, func(n int) documents { return at(n, 47000, 75) }},
		{"columns", []int{2000, 8000, 32000, 128000, 512000}, func(d int) documents { return at(50000/scale, d, 75) }},
		{"nonzeros", []int{10, 20, 40, 80, 160}, func(k int) documents { return at(50000/scale, 47000, k) }},
	}
}

func runGrowth(ctx context.Context, l *lab) error {
	all := families(max(1, 200000/l.opt.rows)) // what is shaped like rcv1 shrinks with it
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

// grow times everyone on one set of a family.
func (l *lab) grow(ctx context.Context, f family, size int, end time.Time) error {
	t, err := memoryTask(ctx, l, fmt.Sprintf("%s=%d", f.name, size), f.make(size))
	if err != nil {
		return err
	}
	defer os.RemoveAll(t.dir)
	open := sessions{}
	defer open.close()
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
	c.progress("growth %s %s", c.t.name, c.loss)
	r, err := fit(ctx, c.t, ask{loss: c.loss, lambda: c.lambda, gap: 1e-5, threads: c.opt.threads, limit: c.ownLimit()})
	if err != nil {
		return err
	}
	c.references.improve(c.key(), r.primal, r.dual, ownName)
	c.own = r.seconds
	for _, threads := range slices.Compact([]int{1, c.opt.threads}) {
		if err := c.growFenchel(ctx, name, threads); err != nil {
			return err
		}
	}
	for _, p := range c.peers {
		if p.name() != "liblinear" { // the others would need the whole budget
			continue
		}
		c.extend(p)
		best, found, err := c.fastest(ctx, p, wholeTarget)
		if err != nil {
			return err
		}
		for repeat := 1; found && repeat <= c.opt.repeats && (repeat == 1 || !c.late()); repeat++ {
			if repeat > 1 {
				if best, err = c.solve(ctx, p, best.method, best.knob); err != nil {
					return ctx.Err()
				}
			}
			best.contender = p.name() // its best solver may change with the size
			c.addPoint(best, name, wholeTarget, repeat)
		}
	}
	c.settle()
	return ctx.Err()
}

func (c *contest) growFenchel(ctx context.Context, name string, threads int) error {
	for repeat := range c.opt.repeats {
		r, err := fit(ctx, c.t, ask{loss: c.loss, lambda: c.lambda, gap: wholeTarget, threads: threads, limit: c.ownLimit()})
		if err != nil {
			return err
		}
		if r.status != solver.Converged {
			return nil
		}
		m := c.row(name, ownName)
		m.Threads, m.Target, m.Repeat, m.Seconds, m.Certify = threads, wholeTarget, repeat+1, r.seconds, r.certify
		m.Objective, m.Note = r.primal, fmt.Sprintf("%d epochs", r.epochs)
		c.log.add(m)
		if c.late() {
			break
		}
	}
	return nil
}

// memoryTask is a task that leaves nothing on disk but what peers load, in a
// folder that the caller removes.
func memoryTask(ctx context.Context, l *lab, name string, g documents) (*task, error) {
	set, err := dataset.Read(ctx, []string{g.spec()}, dataset.Options{})
	if err != nil {
		return nil, err
	}
	rows, cols := set.X.Dims()
	t := &task{source: source{name: name}, dir: filepath.Join(l.opt.work, "sets", "growing"), set: set, rows: rows, cols: cols,
		y: set.Target.Number, nonzeros: nonzeros(set.X), digest: set.Digest(), x: problem.NewRows(set.X, l.opt.threads)}
	t.binary = filepath.Join(t.dir, "data.bin")
	if err := os.MkdirAll(t.dir, 0o777); err != nil {
		return nil, err
	}
	return t, dataset.WriteFile(t.binary, func(w io.Writer) error { return writeTask(w, set.X, t.y) })
}

// grow runs on the first rows of the set: an eighth, a quarter, half of them.
func (c *kernelContest) grow(ctx context.Context, end time.Time) error {
	for _, p := range []struct {
		part         int
		effort, left float64 // like the square of the rows
	}{{8, 1, 21}, {4, 4, 20}, {2, 16, 16}} {
		t, err := firstRows(ctx, c.lab, c.t, c.t.rows/p.part)
		if err != nil {
			return err
		}
		small := newKernelContest(c.lab, c.kernelProblem, t, c.binary, sliceOf(time.Now(), end, p.effort, p.left))
		small.kind, small.repeats = "rows", min(2, c.repeats)
		err = small.run(ctx)
		if err := os.RemoveAll(t.dir); err != nil {
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
func firstRows(ctx context.Context, l *lab, t *task, rows int) (*task, error) {
	part := &task{source: source{name: fmt.Sprintf("rows=%d", rows)}, dir: filepath.Join(l.opt.work, "sets", "part")}
	part.text = filepath.Join(part.dir, "data.svm")
	if err := os.MkdirAll(part.dir, 0o777); err != nil {
		return nil, err
	}
	from, err := os.Open(t.text)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	in := bufio.NewReader(from)
	err = dataset.WriteFile(part.text, func(w io.Writer) error {
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
	return part, part.load(ctx, &l.opt.config)
}
