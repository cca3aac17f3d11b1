package matrix

// Subset returns the rows of m with the given numbers, in that order, without
// copying them: what of a split or of a sample is wanted. A number may be there
// more than once. Neither m nor rows may change.
func Subset[I int | uint32](m Matrix, rows []I) Matrix {
	p, ok := m.(subset[I])
	if !ok {
		return subset[I]{m, rows}
	}
	of := make([]I, len(rows)) // not a subset of a subset: rows are asked for often
	for k, i := range rows {
		of[k] = p.rows[i]
	}
	return subset[I]{p.Matrix, of}
}

// subset is some of the rows of a matrix.
type subset[I int | uint32] struct {
	Matrix
	rows []I
}

func (p subset[I]) Dims() (rows, cols int) {
	_, cols = p.Matrix.Dims()
	return len(p.rows), cols
}

func (p subset[I]) Row(i int) Vector { return p.Matrix.Row(int(p.rows[i])) }
