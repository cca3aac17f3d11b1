package scaling

import (
	"slices"

	"github.com/fenchel-ml/fenchel/dataset/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Follow takes off the rows what a model's schema says, where the format knows nothing of
// it: what rounding has taken away is not given back.
func Follow(s *set.Set, want *set.Schema, threads int) error {
	offsets, given := want.Offsets(), s.Schema.Offsets()
	if want == nil || s.Moved || slices.Equal(offsets, given) {
		return nil
	}
	x, err := LessOffsets(s.X, offsets, given, threads)
	if err != nil {
		return err
	}
	if s.X, s.Moved = x, true; s.Schema == nil {
		return nil
	}
	like := s.Schema.Clone()
	for i := range min(len(like.Columns), len(want.Columns)) {
		like.Columns[i].Offset = want.Columns[i].Offset
	}
	s.Schema = like
	return nil
}

// LessOffsets returns the rows of x with offsets taken off instead of those that were.
func LessOffsets(x matrix.Matrix, offsets, given []float64, threads int) (matrix.Matrix, error) {
	_, cols := x.Dims()
	off, factor := make([]float64, cols), make([]float64, cols)
	copy(off, offsets)
	for j := range factor {
		if factor[j] = 1; j < len(given) {
			off[j] -= given[j]
		}
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
	offsets := s.Schema.Offsets()
	if offsets == nil {
		return s, nil
	}
	plain := *s
	var err error
	plain.X, err = LessOffsets(s.X, nil, offsets, 0)
	plain.Schema = nil
	return &plain, err
}
