package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// A task is a set, but for those of many classes with two, -1 and +1, written down once so that all
// competitors read the same numbers: as LIBSVM text, and in binary for the
// sessions of the peers.
type task struct {
	source
	dir, text, binary string
	textBytes         int64
	rows, cols        int
	nonzeros          int64
	digest            string

	set *dataset.Set // as Fenchel reads the text
	y   []float64
	x   *problem.Rows
}

// taskMagic begins a task in binary; liblinear.c and sklearn.py check it.
const taskMagic = "FENBENCH"

// openTask makes the files of a set where they are missing, and reads them.
// An absent real set is errors.Is fs.ErrNotExist.
func openTask(ctx context.Context, opt *config, s source) (*task, error) {
	t := &task{source: s, dir: filepath.Join(opt.work, "sets", s.name)}
	t.text, t.binary = filepath.Join(t.dir, "data.svm"), filepath.Join(t.dir, "data.bin")
	stamp, err := s.stamp(opt)
	if err != nil {
		return nil, err
	}
	if err := t.write(ctx, opt, stamp); err != nil {
		return nil, err
	}
	return t, t.load(ctx, opt)
}

// load reads the text, as Fenchel does.
func (t *task) load(ctx context.Context, opt *config) error {
	info, err := os.Stat(t.text)
	if err != nil {
		return err
	}
	t.textBytes = info.Size()
	if t.set, err = dataset.Read(ctx, []string{t.text}, dataset.Options{Threads: opt.threads}); err != nil {
		return err
	}
	t.rows, t.cols, t.digest, t.y = t.set.Rows(), t.set.Cols(), t.set.Digest(), t.set.Target.Number
	t.nonzeros = nonzeros(t.set.X)
	t.x = problem.NewRows(t.set.X, opt.threads)
	return nil
}

// stamp says what the files are made of.
func (s source) stamp(opt *config) (string, error) {
	if s.file == "" {
		return "format 1, " + s.make(opt.rows).spec(), nil
	}
	info, err := os.Stat(filepath.Join(opt.data, s.file))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("format 1, %s, %d bytes, class %q, many %t", s.file, info.Size(), s.class, s.many), nil
}

// write makes the files, unless they are there and made of the same.
func (t *task) write(ctx context.Context, opt *config, stamp string) error {
	marker := filepath.Join(t.dir, "made-of.json")
	want, err := json.Marshal(stamp)
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(marker); err == nil && string(have) == string(want) {
		return nil
	}
	opt.progress("preparing %s", t.name)
	if err := os.RemoveAll(t.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(t.dir, 0o777); err != nil {
		return err
	}
	set, err := t.source.open(ctx, opt)
	if err != nil {
		return err
	}
	if err := dataset.Write(ctx, t.text, set, "libsvm"); err != nil {
		return err
	}
	if err := dataset.WriteFile(t.binary, func(w io.Writer) error { return writeTask(w, set.X, set.Target.Number) }); err != nil {
		return err
	}
	return os.WriteFile(marker, want, 0o666)
}

// open reads or makes the set, with targets -1 and +1.
func (s source) open(ctx context.Context, opt *config) (*dataset.Set, error) {
	if s.make != nil {
		return dataset.Read(ctx, []string{s.make(opt.rows).spec()}, dataset.Options{})
	}
	return s.read(ctx, opt, s.file, 0)
}

// read reads a file of the set; columns > 0 are those of the training rows.
func (s source) read(ctx context.Context, opt *config, file string, columns int) (*dataset.Set, error) {
	set, err := dataset.Read(ctx, []string{filepath.Join(opt.data, file)}, dataset.Options{Columns: columns})
	if err != nil || s.many {
		return set, err
	}
	y, err := signs(set.Target, s.class)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &dataset.Set{X: set.X, Target: dataset.Numbers(y)}, nil
}

// testRows reads the test rows of the set; nil: there are none.
func (t *task) testRows(ctx context.Context, opt *config) (*dataset.Set, error) {
	if t.source.test == "" {
		return nil, nil
	}
	set, err := t.source.read(ctx, opt, t.source.test, t.cols)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return set, err
}

// signs returns +1 for rows of the class and -1 for others; class "" is the
// greater of two numbers.
func signs(t dataset.Target, class string) ([]float64, error) {
	positive := func(i int) bool { return t.Label[t.Code[i]] == class }
	if class == "" {
		if len(t.Label) != 2 || t.Number == nil {
			return nil, fmt.Errorf("found %d labels, expected two numbers", len(t.Label))
		}
		low := t.Number[0]
		for _, x := range t.Number {
			low = min(low, x)
		}
		positive = func(i int) bool { return t.Number[i] > low }
	}
	y, found := make([]float64, len(t.Code)), false
	for i := range y {
		y[i] = -1
		if positive(i) {
			y[i], found = 1, true
		}
	}
	if !found {
		return nil, fmt.Errorf("found no row of class %q", class)
	}
	return y, nil
}

// nonzeros counts the values that are not zero.
func nonzeros(x matrix.Matrix) (count int64) {
	rows, _ := x.Dims()
	for i := range rows {
		for _, v := range x.Row(i).Value {
			if v != 0 {
				count++
			}
		}
	}
	return count
}

// writeTask writes rows and targets, all little-endian: the magic, the int64
// n, d and nonzeros, n+1 offsets, n targets (float64), columns from 0
// (uint32), values (float32).
func writeTask(w io.Writer, x matrix.Matrix, y []float64) error {
	n, d := x.Dims()
	out := bufio.NewWriterSize(w, 1<<20)
	var err error
	put := func(v any) { err = errors.Join(err, binary.Write(out, binary.LittleEndian, v)) }
	put([]byte(taskMagic))
	put([]int64{int64(n), int64(d), nonzeros(x)})
	start := make([]int64, n+1)
	for i := range n {
		start[i+1] = start[i]
		for _, v := range x.Row(i).Value {
			if v != 0 {
				start[i+1]++
			}
		}
	}
	put(start)
	put(y)
	putRows(x, func(row matrix.Vector, k int) { putUint32(out, uint32(row.Column(k))) })
	putRows(x, func(row matrix.Vector, k int) {
		putUint32(out, math.Float32bits(row.Value[k]))
	})
	return errors.Join(err, out.Flush())
}

// putRows calls put for every value that is not zero.
func putRows(x matrix.Matrix, put func(row matrix.Vector, k int)) {
	rows, _ := x.Dims()
	for i := range rows {
		row := x.Row(i)
		for k, v := range row.Value {
			if v != 0 {
				put(row, k)
			}
		}
	}
}

// describe fills a measurement with what is known of the task.
func (t *task) describe(race, kind string) measurement {
	return measurement{Race: race, Kind: kind, Set: t.name, Rows: int64(t.rows), Columns: int64(t.cols), Nonzeros: t.nonzeros}
}

// putUint32 writes x; the error stays in w until Flush.
func putUint32(w *bufio.Writer, x uint32) {
	_, _ = w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), x))
}
