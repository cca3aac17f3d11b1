// Package task has what is raced on: the sets, real and generated, the problems of each
// kind of race with what is required of Fenchel, and the least objectives known. It
// imports package measure and the library. A stranger begins with the list of [Sources].
package task

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

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// A Task is a set, but for those of many classes with two, -1 and +1, written down once so that all
// competitors read the same numbers: as LIBSVM text, and in binary for the
// sessions of the peers.
type Task struct {
	Source
	Dir, Text, Binary string
	TextBytes         int64
	Rows, Cols        int
	Nonzeros          int64
	Digest            string

	Set *data.Set // as Fenchel reads the text
	Y   []float64
	X   *problem.Rows
}

// taskMagic begins a task in binary; liblinear.c and sklearn.py check it.
const taskMagic = "FENBENCH"

// OpenTask makes the files of a set where they are missing, and reads them.
// An absent real set is errors.Is fs.ErrNotExist.
func OpenTask(ctx context.Context, opt *Config, s Source) (*Task, error) {
	t := &Task{Source: s, Dir: filepath.Join(opt.Work, "sets", s.Name)}
	t.Text, t.Binary = filepath.Join(t.Dir, "data.svm"), filepath.Join(t.Dir, "data.bin")
	stamp, err := s.stamp(opt)
	if err != nil {
		return nil, err
	}
	if err := t.write(ctx, opt, stamp); err != nil {
		return nil, err
	}
	return t, t.Load(ctx, opt)
}

// Load reads the text, as Fenchel does.
func (t *Task) Load(ctx context.Context, opt *Config) error {
	info, err := os.Stat(t.Text)
	if err != nil {
		return err
	}
	t.TextBytes = info.Size()
	if t.Set, err = data.Read(ctx, []string{t.Text}, data.Options{Threads: opt.Threads}); err != nil {
		return err
	}
	t.Rows, t.Cols, t.Digest, t.Y = t.Set.Rows(), t.Set.Cols(), t.Set.Digest(), t.Set.Target.Number
	t.Nonzeros = Nonzeros(t.Set.X)
	t.X = problem.NewRows(t.Set.X, opt.Threads)
	return nil
}

// stamp says what the files are made of.
func (s Source) stamp(opt *Config) (string, error) {
	if s.File == "" {
		return "format 1, " + s.Make(opt.Rows).Spec(), nil
	}
	info, err := os.Stat(filepath.Join(opt.Data, s.File))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("format 1, %s, %d bytes, class %q, many %t", s.File, info.Size(), s.class, s.Many), nil
}

// write makes the files, unless they are there and made of the same.
func (t *Task) write(ctx context.Context, opt *Config, stamp string) error {
	marker := filepath.Join(t.Dir, "made-of.json")
	want, err := json.Marshal(stamp)
	if err != nil {
		return err
	}
	if have, err := os.ReadFile(marker); err == nil && string(have) == string(want) {
		return nil
	}
	opt.Progress("preparing %s", t.Name)
	if err := os.RemoveAll(t.Dir); err != nil {
		return err
	}
	if err := os.MkdirAll(t.Dir, 0o777); err != nil {
		return err
	}
	set, err := t.Source.Open(ctx, opt)
	if err != nil {
		return err
	}
	if err := data.Write(ctx, t.Text, set, "libsvm"); err != nil {
		return err
	}
	if err := file.WriteFile(t.Binary, func(w io.Writer) error { return WriteTask(w, set.X, set.Target.Number) }); err != nil {
		return err
	}
	return os.WriteFile(marker, want, 0o666)
}

// Open reads or makes the set, with targets -1 and +1.
func (s Source) Open(ctx context.Context, opt *Config) (*data.Set, error) {
	if s.Make != nil {
		return data.Read(ctx, []string{s.Make(opt.Rows).Spec()}, data.Options{})
	}
	return s.read(ctx, opt, s.File, 0)
}

// read reads a file of the set; columns > 0 are those of the training rows.
func (s Source) read(ctx context.Context, opt *Config, file string, columns int) (*data.Set, error) {
	set, err := data.Read(ctx, []string{filepath.Join(opt.Data, file)}, data.Options{Columns: columns})
	if err != nil || s.Many {
		return set, err
	}
	y, err := signs(set.Target, s.class)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &data.Set{X: set.X, Target: data.Numbers(y)}, nil
}

// TestRows reads the test rows of the set; nil: there are none.
func (t *Task) TestRows(ctx context.Context, opt *Config) (*data.Set, error) {
	if t.Source.test == "" {
		return nil, nil
	}
	set, err := t.Source.read(ctx, opt, t.Source.test, t.Cols)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return set, err
}

// signs returns +1 for rows of the class and -1 for others; class "" is the
// greater of two numbers.
func signs(t data.Target, class string) ([]float64, error) {
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

// Nonzeros counts the values that are not zero.
func Nonzeros(x matrix.Matrix) (count int64) {
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

// WriteTask writes rows and targets, all little-endian: the magic, the int64
// n, d and nonzeros, n+1 offsets, n targets (float64), columns from 0
// (uint32), values (float32).
func WriteTask(w io.Writer, x matrix.Matrix, y []float64) error {
	n, d := x.Dims()
	out := bufio.NewWriterSize(w, 1<<20)
	var err error
	put := func(v any) { err = errors.Join(err, binary.Write(out, binary.LittleEndian, v)) }
	put([]byte(taskMagic))
	put([]int64{int64(n), int64(d), Nonzeros(x)})
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

// Describe fills a measurement with what is known of the task.
func (t *Task) Describe(race, kind string) measure.Measurement {
	return measure.Measurement{Race: race, Kind: kind, Set: t.Name, Size: measure.Size{Rows: int64(t.Rows), Columns: int64(t.Cols), Nonzeros: t.Nonzeros}}
}

// putUint32 writes x; the error stays in w until Flush.
func putUint32(w *bufio.Writer, x uint32) {
	_, _ = w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), x))
}
