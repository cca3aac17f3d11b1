package matrix

// Subset returns the rows of m with the given numbers, in that order, without
// copying them: what of a split or of a sample is wanted. A number may be there
// more than once. Neither m nor rows may change.
func Subset(m Matrix, rows []int) Matrix {
	p, ok := m.(subset)
	if !ok {
		return subset{m, rows}
	}
	of := make([]int, len(rows)) // not a subset of a subset: rows are asked for often
	for k, i := range rows {
		of[k] = p.rows[i]
	}
	return subset{p.Matrix, of}
}

// subset is some of the rows of a matrix.
type subset struct {
	Matrix
	rows []int
}

func (p subset) Dims() (rows, cols int) {
	_, cols = p.Matrix.Dims()
	return len(p.rows), cols
}

func (p subset) Row(i int) Vector { return p.Matrix.Row(p.rows[i]) }
