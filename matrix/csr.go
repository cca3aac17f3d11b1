package matrix

import (
	"fmt"
	"math"
)

// CSR stores the nonzero values row after row: row i has columns
// Index[Start[i]:Start[i+1]], strictly increasing and below Cols, with the
// values at the same places of Value.
type CSR struct {
	Cols  int
	Start []int64 // rows+1 offsets, Start[0] = 0
	Index []uint32
	Value []float32
}

var _ Matrix = (*CSR)(nil)

// NewCSR wraps the three slices without copying, after checking the laws of
// CSR. The error names the first row that breaks one.
func NewCSR(cols int, start []int64, index []uint32, value []float32) (*CSR, error) {
	if len(start) == 0 || start[0] != 0 {
		return nil, fmt.Errorf("sparse matrix: row offsets must begin with 0")
	}
	if end := start[len(start)-1]; end != int64(len(index)) || len(index) != len(value) {
		return nil, fmt.Errorf("sparse matrix: found %d indices and %d values, expected %d", len(index), len(value), end)
	}
	if cols < 0 || int64(cols) > math.MaxUint32+1 {
		return nil, fmt.Errorf("sparse matrix: found %d columns, expected at most 2^32", cols)
	}
	for i := range len(start) - 1 {
		if start[i+1] < start[i] || start[i+1] > int64(len(index)) {
			return nil, fmt.Errorf("sparse matrix: row %d ends before it begins", i)
		}
		before := int64(-1)
		for _, j := range index[start[i]:start[i+1]] {
			if int64(j) <= before || int64(j) >= int64(cols) {
				return nil, fmt.Errorf("sparse matrix: row %d: column %d after %d, expected increasing columns below %d", i, j, before, cols)
			}
			before = int64(j)
		}
	}
	if index == nil {
		index = empty
	}
	return &CSR{Cols: cols, Start: start, Index: index, Value: value}, nil
}

// Dims returns the number of rows and columns.
func (m *CSR) Dims() (rows, cols int) { return max(0, len(m.Start)-1), m.Cols }

// Row returns row i without copying.
func (m *CSR) Row(i int) Vector {
	lo, hi := m.Start[i], m.Start[i+1]
	return Vector{Index: m.Index[lo:hi:hi], Value: m.Value[lo:hi:hi]}
}

// empty keeps the Index of a row without nonzeros from being nil, which would
// mean dense.
var empty = []uint32{}

// Append adds a row at the end; index must increase strictly.
func (m *CSR) Append(index []uint32, value []float32) {
	if m.Start == nil {
		m.Start, m.Index = []int64{0}, empty
	}
	m.Index = append(m.Index, index...)
	m.Value = append(m.Value, value...)
	m.Start = append(m.Start, int64(len(m.Value)))
	if n := len(index); n > 0 {
		m.Cols = max(m.Cols, int(index[n-1])+1)
	}
}

// Transpose returns the columns of m as the rows of a new matrix, in O(rows +
// cols + nonzeros). Values that are exactly zero are left out.
func Transpose(m Matrix) *CSR { return TransposeUnless(func() bool { return false }, m) }

// unlessRows is how many rows of a matrix are gone over between two questions.
const unlessRows = 1024

// TransposeUnless is Transpose, and nil as soon as over, asked on the way, says that
// it is not needed any more.
func TransposeUnless(over func() bool, m Matrix) *CSR {
	rows, cols := m.Dims()
	t := &CSR{Cols: rows, Start: make([]int64, cols+1)}
	for i := range rows {
		if i%unlessRows == 0 && over() {
			return nil
		}
		v := m.Row(i)
		for k, x := range v.Value {
			if x != 0 {
				t.Start[v.Column(k)+1]++
			}
		}
	}
	for j := range cols {
		t.Start[j+1] += t.Start[j]
	}
	t.Index = make([]uint32, t.Start[cols])
	t.Value = make([]float32, t.Start[cols])
	next := append([]int64(nil), t.Start[:cols]...)
	for i := range rows {
		if i%unlessRows == 0 && over() {
			return nil
		}
		v := m.Row(i)
		for k, x := range v.Value {
			if x == 0 {
				continue
			}
			j := v.Column(k)
			t.Index[next[j]], t.Value[next[j]] = uint32(i), x
			next[j]++
		}
	}
	return t
}
