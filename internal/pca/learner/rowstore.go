package learner

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A rowStore holds copies of rows, all dense or all sparse as the first one.
type rowStore struct {
	sparse matrix.CSR
	dense  matrix.Dense
}

func (s *rowStore) rows() int { return max(len(s.sparse.Start)-1, 0) + s.dense.Rows }

// add appends a row, in the storage of the first.
func (s *rowStore) add(v matrix.Vector) {
	dense := v.Index == nil
	if s.rows() > 0 {
		dense = s.dense.Rows > 0
	}
	if dense {
		s.addDense(v)
		return
	}
	if s.sparse.Start == nil {
		s.sparse.Start, s.sparse.Index = []int64{0}, []uint32{}
	}
	if v.Index != nil {
		s.sparse.Append(v.Index, v.Value)
		return
	}
	var index []uint32
	var value []float32
	for j, x := range v.Value {
		if x != 0 {
			index, value = append(index, uint32(j)), append(value, x)
		}
	}
	s.sparse.Append(index, value)
}

func (s *rowStore) addDense(v matrix.Vector) {
	s.dense.Rows++
	if v.Index == nil {
		s.dense.Cols = len(v.Value)
		s.dense.Value = append(s.dense.Value, v.Value...)
		return
	}
	at := len(s.dense.Value)
	s.dense.Value = append(s.dense.Value, make([]float32, s.dense.Cols)...)
	for k, j := range v.Index {
		s.dense.Value[at+int(j)] = v.Value[k]
	}
}

// row returns row i.
func (s *rowStore) row(i int) matrix.Vector {
	if s.dense.Rows > 0 {
		return s.dense.Row(i)
	}
	return s.sparse.Row(i)
}

// matrix returns the rows, of cols columns.
func (s *rowStore) matrix(cols int) matrix.Matrix {
	if s.dense.Rows > 0 {
		return &s.dense
	}
	s.sparse.Cols = cols
	return &s.sparse
}

// keep visits everything; the rows have cols columns.
func (s *rowStore) keep(k *method.Kept, name string, cols int) {
	start, index := widened(s.sparse.Start), widened(s.sparse.Index)
	value := widened(append(s.sparse.Value, s.dense.Value...))
	k.Count(name+".dense", &s.dense.Rows)
	k.List(name+".start", &start)
	k.List(name+".index", &index)
	k.List(name+".value", &value)
	if !k.Restoring() {
		return
	}
	if n := s.dense.Rows; n > 0 {
		s.dense.Cols, s.dense.Value = cols, narrowed[float32](value)
		k.Require(len(start) == 0 && len(value)%cols == 0 && len(value)/cols == n, "state: %s: found %d numbers, expected %d rows of %d", name, len(value), n, cols)
		return
	}
	if len(start) == 0 {
		return
	}
	k.Require(inRange(start) && inRange(index), "state: %s: found numbers that count nothing", name)
	if !k.Restoring() {
		return
	}
	m, err := matrix.NewCSR(cols, narrowed[int64](start), narrowed[uint32](index), narrowed[float32](value))
	k.Require(err == nil, "state: %s: %v", name, err)
	if err == nil {
		s.sparse = *m
	}
}

// inRange reports whether all numbers can be those of rows and columns.
func inRange(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return !(v >= 0 && v <= math.MaxUint32) })
}

func widened[T int64 | uint32 | float32](x []T) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

func narrowed[T int64 | uint32 | float32](x []float64) []T {
	out := make([]T, len(x))
	for i, v := range x {
		out[i] = T(v)
	}
	return out
}
