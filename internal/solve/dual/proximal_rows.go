package dual

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// activeRows is a problem of the rows that are curved in proximal: sparse ones copied, in
// the columns that they use, numbered as they are met. Of wide data few rows use few
// columns, and most of the time would go into adding zeros.
type activeRows struct {
	q      problem.Linear
	row    []uint32
	column []uint32
	place  []uint32   // of a column in these, counted from 1; 0: not in use
	c      []float64  // curvatures
	g, d   []float64  // room for columns, and the constant one
	x      matrix.CSR // copies of sparse rows
}

func newActiveRows(p *problem.Linear) activeRows {
	_, d := p.Dims()
	t := activeRows{g: make([]float64, d+1), d: make([]float64, d+1), place: make([]uint32, d)}
	if _, ok := p.X.(*matrix.CSR); !ok { // all columns
		for j := range d {
			t.column = append(t.column, uint32(j))
		}
	}
	return t
}

// take chooses the rows whose a is on no end of a ramp, and returns them with their curvatures,
// which are those of their weights.
func (t *activeRows) take(p *problem.Linear, a []float64, curvature func(s float64) float64) (*problem.Linear, []float64) {
	y, s := t.q.Y[:0], t.q.S[:0]
	t.row, t.c = t.row[:0], t.c[:0]
	for i, a := range a {
		if lo, hi := p.Loss.Domain(p.Y[i]); a > lo && a < hi && (a != 0 || lo == 0 || hi == 0) {
			t.row, t.c = append(t.row, uint32(i)), append(t.c, curvature(p.S[i]))
			y, s = append(y, p.Y[i]), append(s, p.S[i])
		}
	}
	t.q = *p
	t.q.Y, t.q.S = y, s
	t.q.Rows = &problem.Rows{X: t.rows(p.X), Threads: p.Threads}
	t.q.Rows.Nonzeros = matrix.Nonzeros(t.q.X)
	return &t.q, t.c
}

// rows returns the rows in the columns that they use.
func (t *activeRows) rows(all matrix.Matrix) matrix.Matrix {
	sparse, ok := all.(*matrix.CSR)
	if !ok {
		return matrix.Subset(all, t.row)
	}
	for _, j := range t.column {
		t.place[j] = 0
	}
	t.column = t.column[:0]
	x := &t.x
	x.Start, x.Index, x.Value = append(x.Start[:0], 0), x.Index[:0], x.Value[:0]
	for _, i := range t.row {
		lo, hi := sparse.Start[i], sparse.Start[i+1]
		x.Value = append(x.Value, sparse.Value[lo:hi]...)
		for _, j := range sparse.Index[lo:hi] {
			if t.place[j] == 0 {
				t.column = append(t.column, j)
				t.place[j] = uint32(len(t.column))
			}
			x.Index = append(x.Index, t.place[j]-1)
		}
		x.Start = append(x.Start, int64(len(x.Value)))
	}
	x.Cols = len(t.column)
	return x
}

// gather returns the numbers of v in the columns, the constant one last, and room for as
// many.
func (t *activeRows) gather(v []float64) (g, d []float64) {
	k := len(t.column)
	for i, j := range t.column {
		t.g[i] = v[j]
	}
	t.g[k] = v[len(v)-1]
	return t.g[:k+1], t.d[:k+1]
}

// scatter puts the numbers of v into dst, where gather found them.
func (t *activeRows) scatter(dst, v []float64) {
	for i, j := range t.column {
		dst[j] = v[i]
	}
	dst[len(dst)-1] = v[len(v)-1]
}
