package matrix

import "slices"

// Gather copies rows of m, in that order: sparse rows, unless all are dense. A number may
// be there more than once. See [Subset] for rows that are not copied.
func Gather[I int | uint32](m Matrix, rows []I) Matrix {
	_, d := m.Dims()
	stored := 0
	sparse := false
	for _, i := range rows {
		row := m.Row(int(i))
		stored += row.Nonzeros()
		sparse = sparse || row.Index != nil
	}
	if _, isSparse := m.(*CSR); !sparse && !isSparse {
		dense := &Dense{Rows: len(rows), Cols: d, Value: make([]float32, 0, stored)}
		for _, i := range rows {
			dense.Value = append(dense.Value, m.Row(int(i)).Value...)
		}
		return dense
	}
	out := &CSR{Cols: d, Start: make([]int64, 1, len(rows)+1), Index: make([]uint32, 0, stored), Value: make([]float32, 0, stored)}
	var columns []uint32 // 0, 1, ... of rows that are dense
	for _, i := range rows {
		row := m.Row(int(i))
		if row.Index == nil {
			for columns = slices.Grow(columns, d); len(columns) < d; {
				columns = append(columns, uint32(len(columns)))
			}
			row.Index = columns[:len(row.Value)]
		}
		out.Append(row.Index, row.Value)
	}
	return out
}
