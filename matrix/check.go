package matrix

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Check returns which law of a Matrix m breaks, nil if none: sizes that fit together, in
// every row increasing columns below Cols, and finite values. It is one pass over the values.
// Errors count rows and columns from 1.
func Check(m Matrix) error {
	if err := checkShape(m); err != nil {
		return err
	}
	rows, cols := m.Dims()
	if m, ok := Single(m).(*Dense); ok && allFinite(m.Value) {
		return nil
	}
	for i := range rows {
		err := m.Row(i).Check(cols)
		if double := doubleRows(m); err != nil && double != nil {
			_, value := double(i)
			for k, x := range value {
				if large := math.Abs(x) > math.MaxFloat32 && !math.IsInf(x, 0); large {
					err = fmt.Errorf("column %d: found %g, expected a magnitude of at most 3.4e38, the largest of single precision: multiply the column by a smaller unit", m.Row(i).Column(k)+1, x)
					break
				}
			}
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}

// allFinite reports whether no value is infinite or no number: then neither are sums of a few squares,
// which are read at the speed of memory.
func allFinite(value []float32) bool {
	for len(value) > 0 {
		few := min(len(value), 1<<13)
		if !(vec.SquaredNorm(value[:few]) <= math.MaxFloat64) {
			return false
		}
		value = value[few:]
	}
	return true
}

// checkShape returns why rows of m cannot be asked for.
func checkShape(m Matrix) error {
	switch m := m.(type) {
	case nil:
		return errors.New("found no rows, expected a matrix")
	case *Dense:
		if m == nil {
			return errors.New("found no rows, expected a matrix")
		}
		_, err := NewDense(m.Rows, m.Cols, m.Value)
		return err
	case *CSR:
		if m == nil {
			return errors.New("found no rows, expected a matrix")
		}
		return m.checkOffsets()
	case *Double:
		if of := Nonzeros(m.Matrix); of != int64(len(m.Value)) {
			return fmt.Errorf("double precision: found %d values, expected %d", len(m.Value), of)
		}
		return checkShape(m.Matrix)
	case subset[int]:
		return m.check()
	case subset[uint32]:
		return m.check()
	}
	return nil
}

func (p subset[I]) check() error {
	n, _ := p.Matrix.Dims()
	for k, i := range p.rows {
		if int64(i) < 0 || int64(i) >= int64(n) {
			return fmt.Errorf("row %d: found the number %d of a row, expected one from 0 to %d", k+1, i, n-1)
		}
	}
	return checkShape(p.Matrix)
}

// checkOffsets returns why the offsets do not cut the values into rows; a matrix without
// any has no rows.
func (m *CSR) checkOffsets() error {
	if len(m.Index) != len(m.Value) {
		return fmt.Errorf("sparse matrix: found %d indices and %d values, expected as many", len(m.Index), len(m.Value))
	}
	for i := range max(0, len(m.Start)-1) {
		if lo, hi := m.Start[i], m.Start[i+1]; lo < 0 || hi < lo || hi > int64(len(m.Value)) {
			return fmt.Errorf("sparse matrix: row %d: found values from %d to %d, expected some of %d", i+1, lo, hi, len(m.Value))
		}
	}
	return nil
}

// Check returns which law of a row of so many columns v breaks, nil if none: a dense row
// has a value for each column, a sparse one as many columns as values, increasing; and
// values are finite. Columns are counted from 1.
func (v Vector) Check(cols int) error {
	switch n := len(v.Value); {
	case v.Index == nil && n != cols:
		return fmt.Errorf("found %d values, expected %d", n, cols)
	case v.Index != nil && len(v.Index) != n:
		return fmt.Errorf("found %d columns and %d values, expected as many", len(v.Index), n)
	}
	before := int64(-1)
	for k, j := range v.Index {
		if int64(j) <= before || int64(j) >= int64(cols) {
			return fmt.Errorf("found column %d in place %d, expected increasing columns up to %d", int64(j)+1, k+1, cols)
		}
		before = int64(j)
	}
	for k, x := range v.Value {
		if math.Float32bits(x)&(0xff<<23) == 0xff<<23 {
			return fmt.Errorf("column %d: found %g, expected a finite number", v.Column(k)+1, x)
		}
	}
	return nil
}
