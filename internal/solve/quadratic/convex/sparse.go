package convex

import (
	"cmp"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Sparse is a matrix of rows: row i has the columns Index[Start[i]:Start[i+1]], ascending.
type Sparse struct {
	Cols  int
	Start []int
	Index []int
	Value []float64
}

// Entry is one number of a matrix.
type Entry struct {
	Row, Col int
	Value    float64
}

// NewSparse makes a matrix of entries, in any order; those of the same row and column are added up.
func NewSparse(rows, cols int, entries []Entry) Sparse {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col)) })
	m := Sparse{Cols: cols, Start: make([]int, rows+1)}
	for k, e := range entries {
		if k > 0 && entries[k-1].Row == e.Row && entries[k-1].Col == e.Col {
			m.Value[len(m.Value)-1] += e.Value
			continue
		}
		m.Index, m.Value = append(m.Index, e.Col), append(m.Value, e.Value)
		m.Start[e.Row+1]++
	}
	for i := range rows {
		m.Start[i+1] += m.Start[i]
	}
	return m
}

// Rows returns how many rows there are.
func (m Sparse) Rows() int { return max(0, len(m.Start)-1) }

// Row returns the columns of a row and its values.
func (m Sparse) Row(i int) (index []int, value []float64) {
	lo, hi := m.Start[i], m.Start[i+1]
	return m.Index[lo:hi], m.Value[lo:hi]
}

// Times sets dst = M x.
func (m Sparse) Times(dst, x []float64) {
	for i := range m.Rows() {
		index, value := m.Row(i)
		if len(index) == m.Cols {
			dst[i] = vec.Dot64(value, x)
			continue
		}
		dst[i] = 0
		for k, j := range index {
			dst[i] += float64(value[k] * x[j])
		}
	}
}

// AddAcross adds M^T y to dst.
func (m Sparse) AddAcross(dst, y []float64) {
	for i, v := range y[:m.Rows()] {
		if v == 0 {
			continue
		}
		index, value := m.Row(i)
		if len(index) == m.Cols {
			vec.Axpy64(dst, v, value)
			continue
		}
		for k, j := range index {
			dst[j] += float64(v * value[k])
		}
	}
}

// scaled returns diag(rows) M diag(cols) c.
func (m Sparse) scaled(rows, cols []float64, c float64) Sparse {
	out := m
	out.Value = slices.Clone(m.Value)
	for i := range m.Rows() {
		for k := m.Start[i]; k < m.Start[i+1]; k++ {
			out.Value[k] *= rows[i] * cols[m.Index[k]] * c
		}
	}
	return out
}

// DenseRows makes a matrix of all numbers, row after row; zeros are left out.
func DenseRows(rows, cols int, values []float64) Sparse {
	m := Sparse{Cols: cols, Start: make([]int, 1, rows+1)}
	for i := range rows {
		for j, v := range values[i*cols : (i+1)*cols] {
			if v != 0 {
				m.Index, m.Value = append(m.Index, j), append(m.Value, v)
			}
		}
		m.Start = append(m.Start, len(m.Value))
	}
	return m
}

// Turned returns M^T.
func (m Sparse) Turned() Sparse {
	t := Sparse{Cols: m.Rows(), Start: make([]int, m.Cols+1), Index: make([]int, len(m.Index)), Value: make([]float64, len(m.Index))}
	for _, j := range m.Index {
		t.Start[j+1]++
	}
	for j := range m.Cols {
		t.Start[j+1] += t.Start[j]
	}
	next := slices.Clone(t.Start)
	for i := range m.Rows() {
		index, value := m.Row(i)
		for k, j := range index {
			t.Index[next[j]], t.Value[next[j]] = i, value[k]
			next[j]++
		}
	}
	return t
}
