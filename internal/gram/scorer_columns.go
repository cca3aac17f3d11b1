package gram

import (
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Tables over columns are as long as the last column says, which of rows with few
// values may be any: a file of another program, or a damaged one, with one value in
// column 2e9 would take 8 GB. The columns of such a support are numbered again.

// A thin support has more than so many columns for each value, and more than that
// many in all.
const (
	thinColumns = 1 << 20
	thinShare   = 256
)

// renumber returns the columns in which a thin support has values, and the support
// with their places among these; nil and x as it is, if it is not thin.
func renumber(x matrix.Matrix) ([]uint32, matrix.Matrix) {
	s, ok := x.(*matrix.CSR)
	if !ok || s.Cols <= thinColumns || s.Cols/thinShare <= len(s.Index) {
		return nil, x
	}
	columns := slices.Clone(s.Index)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	index := make([]uint32, len(s.Index))
	for k, j := range s.Index {
		at, _ := slices.BinarySearch(columns, j)
		index[k] = uint32(at)
	}
	return columns, &matrix.CSR{Cols: len(columns), Start: s.Start, Index: index, Value: s.Value}
}

// among returns the values of a row in the columns, numbered by their places there.
func among(columns []uint32, row matrix.Vector) matrix.Vector {
	some := matrix.Vector{Index: []uint32{}}
	for k, v := range row.Value {
		if at, ok := slices.BinarySearch(columns, uint32(row.Column(k))); ok {
			some.Index, some.Value = append(some.Index, uint32(at)), append(some.Value, v)
		}
	}
	return some
}
