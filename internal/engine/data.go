package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// rows says where the rows of a set are: dense values, float32 or float64, row after row; or sparse
// with starts, int64, and indices, uint32.
type rows struct {
	Rows    int    `json:"rows"`
	Cols    int    `json:"cols"`
	Values  Place  `json:"values"`
	Double  bool   `json:"double"` // values are float64
	Starts  *Place `json:"starts"` // nil: dense
	Indices Place  `json:"indices"`

	// Offsets were subtracted from the columns before they were rounded; absent: none.
	Offsets []float64 `json:"offsets"`
}

// data says where a set is.
type arrays struct {
	X       rows     `json:"x"`
	Table   *table   `json:"table"`   // has the rows in place of X
	Names   []string `json:"names"`   // of features; absent: none
	Numbers *Place   `json:"numbers"` // targets, float64; of several one column after another
	Targets int      `json:"targets"` // how many; 0: one
	Codes   *Place   `json:"codes"`   // or uint32, places in Labels
	Labels  []string `json:"labels"`
	Weights *Place   `json:"weights"` // float64; absent: every row counts once
	Groups  *Place   `json:"groups"`  // uint32; rows with equal ones are in one fold, of tune and of probabilities
	Gaps    *Place   `json:"gaps"`    // uint32, a row and a feature for each number that is missing; absent: none is
	Times   []string `json:"times"`   // as a table has them: rows of folds are judged after those that are learned from
}

// matrix makes the rows of what is in the memory, without copying them; of float64 the rounded values are made beside them.
func (w rows) matrix(r *region) (matrix.Matrix, error) {
	if !w.Double {
		values, err := numbers[float32](r, w.Values)
		if err != nil {
			return nil, err
		}
		return w.single(r, values)
	}
	values, err := numbers[float64](r, w.Values)
	if err != nil {
		return nil, err
	}
	x, err := w.single(r, rounded(values))
	if err != nil {
		return nil, err
	}
	return matrix.NewDouble(x, values)
}

// rounded returns the numbers in single precision.
func rounded(value []float64) []float32 {
	single := make([]float32, len(value))
	parallel.Blocks(len(value), 1<<16, 0, func(_, lo, hi int) {
		for k, x := range value[lo:hi] {
			single[lo+k] = float32(x)
		}
	})
	return single
}

// single makes rows of these values.
func (w rows) single(r *region, values []float32) (matrix.Matrix, error) {
	if w.Starts == nil {
		return matrix.NewDense(w.Rows, w.Cols, values)
	}
	starts, err := numbers[int64](r, *w.Starts)
	if err != nil {
		return nil, err
	}
	if len(starts) != w.Rows+1 {
		return nil, fmt.Errorf("sparse rows: found %d starts, expected %d", len(starts), w.Rows+1)
	}
	indices, err := numbers[uint32](r, w.Indices)
	if err != nil {
		return nil, err
	}
	return matrix.NewCSR(w.Cols, starts, indices, values)
}

// set makes a set of what is in the memory; its rows stay there.
func (d arrays) set(ctx context.Context, r *region) (s *data.Set, err error) {
	if d.Table != nil {
		s, err = d.Table.read(ctx, r)
	} else {
		s, err = d.rows(r)
	}
	if err != nil {
		return nil, err
	}
	if s.Target, err = d.target(r); err != nil {
		return nil, err
	}
	if d.Weights != nil {
		if s.Weight, err = numbers[float64](r, *d.Weights); err != nil {
			return nil, err
		}
	}
	if s.ID, err = d.ids(r); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s.Vouch(), nil
}

// rows are those of X.
func (d arrays) rows(r *region) (*data.Set, error) {
	x, err := d.X.matrix(r)
	if err != nil {
		return nil, err
	}
	s := &data.Set{X: x, Feature: d.Names, Schema: d.schema(x)}
	s.Gaps, err = gapsOf(r, d.Gaps)
	return s, err
}

// gapsOf returns the places of missing numbers; nil: none is.
func gapsOf(r *region, at *Place) ([]set.Gap, error) {
	if at == nil {
		return nil, nil
	}
	pairs, err := numbers[uint32](r, *at)
	gaps := make([]set.Gap, len(pairs)/2)
	for i := range gaps {
		gaps[i] = set.Gap{pairs[2*i], pairs[2*i+1]}
	}
	return gaps, err
}

// ids are the groups or times of the rows, as a column of a table would have them.
func (d arrays) ids(r *region) ([]string, error) {
	switch {
	case d.Times != nil && d.Groups != nil:
		return nil, errors.New("found groups and times, expected one of the two")
	case d.Groups == nil:
		return d.Times, nil
	}
	codes, err := numbers[uint32](r, *d.Groups)
	ids := make([]string, len(codes))
	for i, c := range codes {
		ids[i] = strconv.FormatUint(uint64(c), 10)
	}
	return ids, err
}

// schema says what was subtracted from the columns of x, and what their means are then; nil:
// nothing was.
func (d arrays) schema(x matrix.Matrix) *data.Schema {
	if d.X.Offsets == nil {
		return nil
	}
	rows, _ := x.Dims()
	mean := make([]float64, d.X.Cols)
	for i := range rows {
		x.Row(i).AddTo(mean, 1)
	}
	s := &data.Schema{Columns: make([]data.Column, len(d.X.Offsets)), Target: -1, Weight: -1, Array: true, Header: d.Names != nil}
	for j := range s.Columns {
		s.Columns[j] = data.Column{Name: fmt.Sprint(j + 1), Offset: d.X.Offsets[j]}
		if j < len(mean) {
			s.Columns[j].Fill = mean[j] / float64(rows)
		}
		if j < len(d.Names) {
			s.Columns[j].Name = d.Names[j]
		}
	}
	return s
}

// target makes classes of codes, or numbers of numbers. What it returns is no part of the
// memory: models may keep it.
func (d arrays) target(r *region) (data.Target, error) {
	switch {
	case d.Codes != nil:
		codes, err := numbers[uint32](r, *d.Codes)
		if err != nil {
			return data.Target{}, err
		}
		return classes(codes, d.Labels)
	case d.Numbers != nil:
		values, err := numbers[float64](r, *d.Numbers)
		if err != nil {
			return data.Target{}, err
		}
		return columns(append([]float64(nil), values...), max(d.Targets, 1))
	}
	return data.Target{}, nil
}

// columns makes so many targets of their numbers.
func columns(all []float64, targets int) (data.Target, error) {
	rows := len(all) / targets
	if len(all) != rows*targets {
		return data.Target{}, fmt.Errorf("found %d numbers for %d targets, expected as many for each", len(all), targets)
	}
	t := data.Target{Number: all[:rows:rows]}
	if targets == 1 {
		return t, nil
	}
	t.Names = set.TargetNames(targets)
	for c := 1; c < targets; c++ {
		t.Further = append(t.Further, all[c*rows:(c+1)*rows:(c+1)*rows])
	}
	return t, nil
}

// classes makes the target of codes, as the reader of a file does of labels: where all of
// these are numbers, it has the numbers of the rows too.
func classes(codes []uint32, labels []string) (data.Target, error) {
	t := data.Labels(labels)
	if len(t.Label) != len(labels) {
		return t, errors.New("classes: found labels of which several are the same, expected each once")
	}
	byLabel := t.Number
	t.Code, t.Number = append([]uint32(nil), codes...), nil
	if byLabel == nil {
		return t, nil
	}
	t.Number = make([]float64, len(codes))
	for i, c := range codes {
		if int(c) >= len(labels) {
			return t, fmt.Errorf("row %d: found the class %d, expected one of %d", i+1, c, len(labels))
		}
		t.Number[i] = byLabel[c]
	}
	return t, nil
}
