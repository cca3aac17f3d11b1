package scaling

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Follow takes off the rows what a model's schema says, where the format knows nothing of
// it: what rounding has taken away is not given back.
func Follow(s *set.Set, want *set.Schema, threads int) error {
	if want == nil || s.Moved || slices.Equal(want.Offsets(), s.Schema.Offsets()) && slices.Equal(want.Factors(), s.Schema.Factors()) {
		return nil
	}
	x, err := Moved(s.X, want, s.Schema, threads)
	if err != nil {
		return err
	}
	if s.X, s.Moved = x, true; s.Schema == nil {
		return nil
	}
	like := s.Schema.Clone()
	for i := range like.Columns {
		c := &like.Columns[i]
		if c.Offset, c.Factor = 0, 0; i < len(want.Columns) {
			c.Offset, c.Factor = want.Columns[i].Offset, want.Columns[i].Factor
		}
	}
	s.Schema = like
	return nil
}

// Multiplied completes a set of sparse rows by the schema that [set.Multiply] returned.
func Multiplied(s *set.Set, schema *set.Schema, opt *set.Options) error {
	if s.Schema = schema; schema == nil {
		return nil
	}
	if opt.Schema == nil {
		s.Feature = schema.Features()
		Fill(schema, s.X)
		return nil
	}
	err := Follow(s, opt.Schema, opt.Threads)
	s.Schema, s.Moved = nil, true
	return err
}

// Moved returns the rows of x with the offsets and factors of a schema in place of those of
// another; nil: of none.
func Moved(x matrix.Matrix, want, given *set.Schema, threads int) (matrix.Matrix, error) {
	_, cols := x.Dims()
	off, factor := make([]float64, cols), slices.Repeat([]float64{1}, cols)
	copy(off, want.Offsets())
	for j, g := range given.Offsets()[:min(cols, len(given.Offsets()))] {
		off[j] -= g
	}
	for j, g := range given.Factors()[:min(cols, len(given.Factors()))] {
		off[j], factor[j] = off[j]*g, 1/g
	}
	for j, f := range want.Factors()[:min(cols, len(want.Factors()))] {
		factor[j] *= f
	}
	moved := newScaling("", off, factor)
	if err := moved.Range(x, threads); err != nil {
		return nil, err
	}
	return moved.Matrix(x), nil
}

// Restored returns the set with its features as they were, in single precision, for formats
// that hold no offsets.
func Restored(s *set.Set) (*set.Set, error) {
	plain := *s
	plain.Moved = false
	return &plain, Follow(&plain, &set.Schema{}, 0)
}

// Fill has missing numbers replaced by the means of x, columns of numbers alone.
func Fill(s *set.Schema, x matrix.Matrix) {
	rows, cols := x.Dims()
	mean := make([]float64, cols)
	EachValue(x, func(j int, value float64) { mean[j] += value })
	first, _ := s.Places()
	for i := range s.Columns {
		if !s.Predicts(i) && first[i] < cols {
			s.Columns[i].Fill = mean[first[i]] / float64(rows)
		}
	}
}
