package set

import (
	"fmt"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/matrix"
)

// RowBuilder gathers rows into a matrix: dense ones into a Dense if at least
// half of the values are nonzero, else into a CSR, which is then the smaller;
// sparse ones into a CSR. Columns beyond those of a model are left out.
type RowBuilder struct {
	columns  int // of the model; 0: no limit
	Cols     int // of the data
	Rows     int
	nonzeros int64
	Dense    []float32      // all rows so far, unless they are in sparse
	Sparse   *matrix.CSR    // nil: the rows are in dense
	Unknown  UnknownColumns // counts what is left out
}

// NewRowBuilder is for rows of cols values; opt.Columns says which of them a model knows.
func NewRowBuilder(cols int, opt *Options) *RowBuilder {
	return &RowBuilder{columns: opt.Columns, Cols: cols, Sparse: &matrix.CSR{Start: []int64{0}, Index: []uint32{}}}
}

// Width is the number of columns of the matrix.
func (b *RowBuilder) Width() int {
	if b.columns > 0 {
		return b.columns
	}
	return b.Cols
}

// AddDense appends a row of cols values.
func (b *RowBuilder) AddDense(row []float32) {
	if b.columns > 0 && len(row) > b.columns {
		for j, v := range row[b.columns:] {
			b.Ignore(uint32(b.columns+j), v)
		}
		row = row[:b.columns]
	}
	b.Rows++
	for _, v := range row {
		if v != 0 {
			b.nonzeros++
		}
	}
	if b.Sparse != nil && 2*b.nonzeros >= int64(b.Rows)*int64(b.Width()) {
		b.Dense, b.Sparse = toDense(b.Sparse, b.Width()), nil
	}
	if b.Sparse == nil {
		b.Dense = append(b.Dense, row...)
		b.Dense = append(b.Dense, make([]float32, b.Width()-len(row))...)
		return
	}
	for j, v := range row {
		if v != 0 {
			b.Sparse.Index = append(b.Sparse.Index, uint32(j))
			b.Sparse.Value = append(b.Sparse.Value, v)
		}
	}
	b.Sparse.Start = append(b.Sparse.Start, int64(len(b.Sparse.Value)))
}

// AddSparse appends a row with increasing columns; zeros are left out.
func (b *RowBuilder) AddSparse(index []uint32, value []float32) {
	for k, j := range index {
		switch v := value[k]; {
		case v == 0:
		case b.columns > 0 && int64(j) >= int64(b.columns):
			b.Ignore(j, v)
		default:
			b.Sparse.Index = append(b.Sparse.Index, j)
			b.Sparse.Value = append(b.Sparse.Value, v)
		}
	}
	b.Sparse.Start = append(b.Sparse.Start, int64(len(b.Sparse.Value)))
	b.Rows++
}

// Ignore counts a value in a column that the model does not know.
func (b *RowBuilder) Ignore(col uint32, v float32) {
	if v != 0 {
		b.Unknown.Add(col)
	}
}

// Matrix returns the rows and the warning about what was left out.
func (b *RowBuilder) Matrix() (matrix.Matrix, []error) {
	warnings := b.Unknown.Warnings(1)
	if b.Sparse == nil && 2*b.nonzeros < int64(len(b.Dense)) {
		m := &matrix.CSR{Start: append(make([]int64, 0, b.Rows+1), 0), Index: make([]uint32, 0, b.nonzeros), Value: make([]float32, 0, b.nonzeros)}
		for i := range b.Rows {
			for j, v := range b.Dense[i*b.Width() : (i+1)*b.Width()] {
				if v != 0 {
					m.Index, m.Value = append(m.Index, uint32(j)), append(m.Value, v)
				}
			}
			m.Start = append(m.Start, int64(len(m.Value)))
		}
		b.Sparse = m
	}
	if b.Sparse == nil {
		return &matrix.Dense{Rows: b.Rows, Cols: b.Width(), Value: b.Dense}, warnings
	}
	b.Sparse.Cols = b.Width()
	return b.Sparse, warnings
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

// UnknownColumns counts the values in columns that a model does not know.
type UnknownColumns struct {
	first  uint32
	values int
	column map[uint32]struct{}
}

// Add counts a value.
func (u *UnknownColumns) Add(column uint32) {
	if u.column == nil {
		u.first, u.column = column, map[uint32]struct{}{}
	}
	u.values++
	u.column[column] = struct{}{}
}

// Warnings says what was left out, with columns from first on.
func (u *UnknownColumns) Warnings(first uint64) []error {
	return u.Named(func(column uint32) string { return strconv.FormatUint(uint64(column)+first, 10) })
}

// Named says what was left out, with the names of columns.
func (u *UnknownColumns) Named(name func(column uint32) string) []error {
	if u.values == 0 {
		return nil
	}
	return []error{fmt.Errorf("%s of %s (first: %s) %s unknown to the model: ignored", fault.Plural(u.values, "value", "values"),
		fault.Plural(len(u.column), "feature", "features"), name(u.first), fault.Are(u.values))}
}
