package dataset

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/matrix"
)

// rowBuilder gathers rows into a matrix: dense ones into a Dense if at least
// half of the values are nonzero, else into a CSR, which is then the smaller;
// sparse ones into a CSR. Columns beyond those of a model are left out.
type rowBuilder struct {
	columns  int // of the model; 0: no limit
	cols     int // of the data
	rows     int
	nonzeros int64
	dense    []float32      // all rows so far, unless they are in sparse
	sparse   *matrix.CSR    // nil: the rows are in dense
	unknown  unknownColumns // counts what is left out
}

func newRowBuilder(cols int, opt *Options) *rowBuilder {
	return &rowBuilder{columns: opt.Columns, cols: cols, sparse: &matrix.CSR{Start: []int64{0}, Index: []uint32{}}}
}

// width is the number of columns of the matrix.
func (b *rowBuilder) width() int {
	if b.columns > 0 {
		return b.columns
	}
	return b.cols
}

// addDense appends a row of cols values.
func (b *rowBuilder) addDense(row []float32) {
	if b.columns > 0 && len(row) > b.columns {
		for j, v := range row[b.columns:] {
			b.ignore(uint32(b.columns+j), v)
		}
		row = row[:b.columns]
	}
	b.rows++
	for _, v := range row {
		if v != 0 {
			b.nonzeros++
		}
	}
	if b.sparse != nil && 2*b.nonzeros >= int64(b.rows)*int64(b.width()) {
		b.dense, b.sparse = toDense(b.sparse, b.width()), nil
	}
	if b.sparse == nil {
		b.dense = append(b.dense, row...)
		b.dense = append(b.dense, make([]float32, b.width()-len(row))...)
		return
	}
	for j, v := range row {
		if v != 0 {
			b.sparse.Index = append(b.sparse.Index, uint32(j))
			b.sparse.Value = append(b.sparse.Value, v)
		}
	}
	b.sparse.Start = append(b.sparse.Start, int64(len(b.sparse.Value)))
}

// addSparse appends a row with increasing columns; zeros are left out.
func (b *rowBuilder) addSparse(index []uint32, value []float32) {
	for k, j := range index {
		switch v := value[k]; {
		case v == 0:
		case b.columns > 0 && int64(j) >= int64(b.columns):
			b.ignore(j, v)
		default:
			b.sparse.Index = append(b.sparse.Index, j)
			b.sparse.Value = append(b.sparse.Value, v)
		}
	}
	b.sparse.Start = append(b.sparse.Start, int64(len(b.sparse.Value)))
	b.rows++
}

func (b *rowBuilder) ignore(col uint32, v float32) {
	if v != 0 {
		b.unknown.add(col)
	}
}

// matrix returns the rows and the warning about what was left out.
func (b *rowBuilder) matrix() (matrix.Matrix, []error) {
	warnings := b.unknown.warnings(1)
	if b.sparse == nil && 2*b.nonzeros < int64(len(b.dense)) {
		m := &matrix.CSR{Start: append(make([]int64, 0, b.rows+1), 0), Index: make([]uint32, 0, b.nonzeros), Value: make([]float32, 0, b.nonzeros)}
		for i := range b.rows {
			for j, v := range b.dense[i*b.width() : (i+1)*b.width()] {
				if v != 0 {
					m.Index, m.Value = append(m.Index, uint32(j)), append(m.Value, v)
				}
			}
			m.Start = append(m.Start, int64(len(m.Value)))
		}
		b.sparse = m
	}
	if b.sparse == nil {
		return &matrix.Dense{Rows: b.rows, Cols: b.width(), Value: b.dense}, warnings
	}
	b.sparse.Cols = b.width()
	return b.sparse, warnings
}

func toDense(m *matrix.CSR, cols int) []float32 {
	rows, _ := m.Dims()
	dense := make([]float32, rows*cols)
	for i := range rows {
		v := m.Row(i)
		for k, j := range v.Index {
			dense[i*cols+int(j)] = v.Value[k]
		}
	}
	return dense
}

// unknownColumns counts the values in columns that a model does not know.
type unknownColumns struct {
	first  uint32
	values int
	column map[uint32]struct{}
}

func (u *unknownColumns) add(column uint32) {
	if u.column == nil {
		u.first, u.column = column, map[uint32]struct{}{}
	}
	u.values++
	u.column[column] = struct{}{}
}

// warnings says what was left out, with columns from first on.
func (u *unknownColumns) warnings(first uint64) []error {
	if u.values == 0 {
		return nil
	}
	return []error{fmt.Errorf("%s of %s (first: %d) %s unknown to the model: ignored", fault.Plural(u.values, "value", "values"),
		fault.Plural(len(u.column), "feature", "features"), uint64(u.first)+first, fault.Are(u.values))}
}
