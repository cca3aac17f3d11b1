// Package matrix holds rows of numbers.
//
// A [Matrix] gives its rows one at a time as a [Vector], dense or sparse. Data
// are float32 with uint32 column indices and 64-bit row offsets; everything
// that is summed over them is float64.
//
// Solvers ask for rows, never for single elements: a call per row costs a few
// per cent, a call per element would be ruinous. A new storage is one file with
// a type that implements [Matrix]. Arithmetic on slices lives in package vec,
// reading and writing in package data.
package matrix

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A Vector is one row. Index == nil means dense: Value[j] belongs to column j.
// Otherwise Value[k] belongs to column Index[k], and Index increases strictly.
type Vector struct {
	Index []uint32
	Value []float32
}

// Dot returns the inner product with w, which must reach past the last index.
func (v Vector) Dot(w []float64) float64 {
	if v.Index == nil {
		return vec.Dot(w[:len(v.Value)], v.Value)
	}
	return vec.SparseDot(w, v.Index, v.Value)
}

// AddTo adds scale times the row to w.
func (v Vector) AddTo(w []float64, scale float64) {
	if v.Index == nil {
		vec.Axpy(w[:len(v.Value)], scale, v.Value)
		return
	}
	vec.SparseAxpy(w, scale, v.Index, v.Value)
}

// SquaredNorm returns the sum of the squared values.
func (v Vector) SquaredNorm() float64 { return vec.SquaredNorm(v.Value) }

// CopyTo sets dst, as many numbers as the matrix has columns, to the row with its zeros.
func (v Vector) CopyTo(dst []float32) {
	if v.Index == nil {
		copy(dst, v.Value)
		return
	}
	clear(dst)
	for k, j := range v.Index {
		dst[j] = v.Value[k]
	}
}

// Nonzeros returns the number of stored values.
func (v Vector) Nonzeros() int { return len(v.Value) }

// Column returns the column of the k-th stored value.
func (v Vector) Column(k int) int {
	if v.Index == nil {
		return k
	}
	return int(v.Index[k])
}

// Matrix is a table of rows that does not change. Row may be called from
// several goroutines at once; the slices of the Vector must not be written to.
type Matrix interface {
	Dims() (rows, cols int)
	Row(i int) Vector
}

// Dots sets dst[k] to the inner product of w and row first+k. The bits are those
// of Dot of each row; many short rows take half the time so.
func Dots(dst []float64, m Matrix, first int, w []float64) {
	switch m := m.(type) {
	case *CSR:
		vec.SparseDots(dst, w, m.Start[first:first+len(dst)+1], m.Index, m.Value)
		return
	case *Dense:
		vec.DenseDots(dst, w[:m.Cols], m.Value[first*m.Cols:])
		return
	}
	if row := doubleRows(m); row != nil {
		for k := range dst {
			index, value := row(first + k)
			dst[k] = dot64(w, index, value)
		}
		return
	}
	for k := range dst {
		dst[k] = m.Row(first + k).Dot(w)
	}
}

// AddRows adds to w row first+k times scale[k], for each k where that is not 0,
// in order. The bits are those of AddTo of each row.
func AddRows(w []float64, m Matrix, first int, scale []float64) {
	switch m := m.(type) {
	case *CSR:
		vec.SparseAxpys(w, scale, m.Start[first:first+len(scale)+1], m.Index, m.Value)
		return
	case *Dense:
		vec.DenseAxpys(w[:m.Cols], scale, m.Value[first*m.Cols:])
		return
	}
	double := doubleRows(m)
	for k, s := range scale {
		switch {
		case s == 0:
		case double != nil:
			index, value := double(first + k)
			axpy64(w, s, index, value)
		default:
			m.Row(first+k).AddTo(w, s)
		}
	}
}

// SquaredNorms sets dst[k] to the squared norm of row first+k.
func SquaredNorms(dst []float64, m Matrix, first int) {
	switch m := m.(type) {
	case *CSR:
		start := m.Start[first : first+len(dst)+1]
		for k := range dst {
			dst[k] = vec.SquaredNorm(m.Value[start[k]:start[k+1]])
		}
		return
	case *Dense:
		for k := range dst {
			dst[k] = vec.SquaredNorm(m.Value[(first+k)*m.Cols : (first+k+1)*m.Cols])
		}
		return
	}
	if row := doubleRows(m); row != nil {
		for k := range dst {
			_, value := row(first + k)
			dst[k] = vec.SquaredNorm64(value)
		}
		return
	}
	for k := range dst {
		dst[k] = m.Row(first + k).SquaredNorm()
	}
}

// Nonzeros returns the number of stored values of all rows.
func Nonzeros(m Matrix) int64 {
	switch m := m.(type) {
	case *CSR:
		return int64(len(m.Value))
	case *Dense:
		return int64(len(m.Value))
	case *Double:
		return int64(len(m.Value))
	}
	rows, _ := m.Dims()
	var n int64
	for i := range rows {
		n += int64(m.Row(i).Nonzeros())
	}
	return n
}

// IsDense reports whether all rows of m are dense.
func IsDense(m Matrix) bool {
	switch Single(m).(type) {
	case *Dense:
		return true
	case *CSR:
		return false
	}
	rows, _ := m.Dims()
	for i := range rows {
		if m.Row(i).Index != nil {
			return false
		}
	}
	return true
}

// Finite returns whether every value is finite, and else the first place where
// one is not.
func Finite(m Matrix) (row, col int, ok bool) {
	rows, _ := m.Dims()
	for i := range rows {
		v := m.Row(i)
		for k, x := range v.Value {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return i, v.Column(k), false
			}
		}
	}
	return 0, 0, true
}
