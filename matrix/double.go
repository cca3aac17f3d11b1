package matrix

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A Double is rows of double precision. [Dots], [AddRows], [SquaredNorms] and [Values] are of its numbers as they
// are; Row, and so all else, has them rounded to single precision.
type Double struct {
	Matrix           // the rows rounded: *Dense or *CSR
	Value  []float64 // as many as the Value of that, in its order
}

var _ Matrix = (*Double)(nil)

// NewDouble wraps m, *Dense or *CSR, and the values of which it has the rounded ones, without copying.
func NewDouble(m Matrix, value []float64) (*Double, error) {
	switch m.(type) {
	case *Dense, *CSR:
	default:
		return nil, fmt.Errorf("double precision: found rows of type %T, expected *matrix.Dense or *matrix.CSR", m)
	}
	d := &Double{m, value}
	return d, checkShape(d)
}

// row returns row i: its columns, nil of a dense one, and its numbers.
func (m *Double) row(i int) ([]uint32, []float64) {
	switch of := m.Matrix.(type) {
	case *CSR:
		lo, hi := of.Start[i], of.Start[i+1]
		return of.Index[lo:hi], m.Value[lo:hi]
	case *Dense:
		return nil, m.Value[i*of.Cols : (i+1)*of.Cols]
	}
	panic("matrix: Double of neither *Dense nor *CSR")
}

// doubleRows returns how rows of m are read in double precision, columns and numbers; nil: they are of single precision.
func doubleRows(m Matrix) func(i int) ([]uint32, []float64) {
	switch m := m.(type) {
	case *Double:
		return m.row
	case part:
		return moved(doubleRows(m.of), func(i int) int { return m.lo + i })
	case subset[int]:
		return moved(doubleRows(m.Matrix), func(i int) int { return m.rows[i] })
	case subset[uint32]:
		return moved(doubleRows(m.Matrix), func(i int) int { return int(m.rows[i]) })
	}
	return nil
}

// moved reads row to(i) for row i.
func moved(row func(i int) ([]uint32, []float64), to func(i int) int) func(i int) ([]uint32, []float64) {
	if row == nil {
		return nil
	}
	return func(i int) ([]uint32, []float64) { return row(to(i)) }
}

// IsDouble reports whether m has numbers of double precision.
func IsDouble(m Matrix) bool { return doubleRows(m) != nil }

// Values returns the stored values of row i of m in double precision, in the order of its Vector: in buffer, unless
// they are so in m.
func Values(buffer []float64, m Matrix, i int) []float64 {
	if row := doubleRows(m); row != nil {
		_, value := row(i)
		return value
	}
	buffer = buffer[:0]
	for _, x := range m.Row(i).Value {
		buffer = append(buffer, float64(x))
	}
	return buffer
}

// Single returns the rows as all may read them: of a [Double] those that are rounded, else m.
func Single(m Matrix) Matrix {
	if m, ok := m.(*Double); ok {
		return m.Matrix
	}
	return m
}

func dot64(w []float64, index []uint32, value []float64) float64 {
	if index == nil {
		return vec.Dot64(w[:len(value)], value)
	}
	return vec.SparseDot64(w, index, value)
}

func axpy64(w []float64, scale float64, index []uint32, value []float64) {
	if index == nil {
		vec.Axpy64(w[:len(value)], scale, value)
		return
	}
	vec.SparseAxpy64(w, scale, index, value)
}
