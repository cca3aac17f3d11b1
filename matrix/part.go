package matrix

// Part returns rows lo to hi of m, without copying.
func Part(m Matrix, lo, hi int) Matrix {
	switch m := m.(type) {
	case *Dense:
		return &Dense{Rows: hi - lo, Cols: m.Cols, Value: m.Value[lo*m.Cols : hi*m.Cols : hi*m.Cols]}
	case part:
		return part{m.of, m.lo + lo, hi - lo}
	}
	return part{m, lo, hi - lo}
}

// part is some consecutive rows of a matrix.
type part struct {
	of       Matrix
	lo, rows int
}

func (p part) Dims() (rows, cols int) {
	_, cols = p.of.Dims()
	return p.rows, cols
}

func (p part) Row(i int) Vector { return p.of.Row(p.lo + i) }
