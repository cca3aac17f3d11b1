package matrix

import "fmt"

// Dense stores every value, row after row.
type Dense struct {
	Rows, Cols int
	Value      []float32 // Rows*Cols, row-major
}

var _ Matrix = (*Dense)(nil)

// NewDense wraps value, which must hold rows*cols numbers, without copying.
func NewDense(rows, cols int, value []float32) (*Dense, error) {
	if rows < 0 || cols < 0 || (cols != 0 && len(value)/cols != rows) || len(value) != rows*cols {
		return nil, fmt.Errorf("dense matrix: found %d values, expected %d rows of %d", len(value), rows, cols)
	}
	return &Dense{Rows: rows, Cols: cols, Value: value}, nil
}

// Dims returns the number of rows and columns.
func (m *Dense) Dims() (rows, cols int) { return m.Rows, m.Cols }

// Row returns row i without copying.
func (m *Dense) Row(i int) Vector {
	lo, hi := i*m.Cols, (i+1)*m.Cols
	return Vector{Value: m.Value[lo:hi:hi]}
}
