package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
)

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
	return part, part.load(ctx, l)
}
