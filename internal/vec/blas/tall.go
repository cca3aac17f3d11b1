package blas

import "github.com/fenchel-ml/fenchel/internal/parallel"

// Products of a tall matrix with few rows: what they cost is to read the tall one. It is
// not packed; a tile takes twelve (or six) of its rows where they are, and all of the
// small factor, which is packed once. Every element is the same chain as in any product.

// rowsOfTall is up to how many rows of B a product A*B^T is taken for tall: more use what
// is packed often enough.
const rowsOfTall = 128

// A tallTile is how a level multiplies rows of A that are stride apart by a packed panel
// of cols columns, or half of that; and columns of A, cols of them, by a packed panel of
// rows. Levels without kernels have rows = 0.
type tallTile struct {
	rows, cols   int
	wide, narrow func(k int, a []float32, stride int, b, c []float64, cStride int)
	columns      func(k int, b []float64, a []float32, stride int, c []float64, cStride int)
}

// A tall is the product C += A*B^T on its way.
type tall struct {
	tile   tallTile
	c      Block[float64]
	a      Block[float32]
	panels []panelOfTall
	depth  int // terms of a step
}

// A panelOfTall is the packed columns from first on, for all terms.
type panelOfTall struct {
	first, count, width int
	value               []float64
}

// run computes the product on at most threads goroutines.
func (t tall) run(b Block[float64], threads int) {
	t.pack(b)
	t.depth = equalParts(t.a.Cols, 1024)
	height := 8 * t.tile.rows
	parallel.Each((t.a.Rows+height-1)/height, threads, func(_, i int) {
		t.rows(i*height, min(i*height+height, t.a.Rows))
	})
}

// pack cuts the rows of B into panels.
func (t *tall) pack(b Block[float64]) {
	for first := 0; first < b.Rows; {
		p := panelOfTall{first: first, width: t.tile.cols}
		if b.Rows-first <= p.width/2 {
			p.width /= 2
		}
		p.count = min(p.width, b.Rows-first)
		p.value = make([]float64, p.width*b.Cols)
		packRows[float64](b)(p.value, p.width, first, p.count, 0, b.Cols)
		t.panels = append(t.panels, p)
		first += p.count
	}
}

// rows computes the rows lo to hi of C.
func (t tall) rows(lo, hi int) {
	edge := make([]float64, t.tile.rows*t.tile.cols)
	for k := 0; k < t.a.Cols; k += t.depth {
		depth := min(t.depth, t.a.Cols-k)
		for i := lo; i < hi; i += t.tile.rows {
			a, stride := t.a.Value[i*t.a.Stride+k:], t.a.Stride
			rows := min(t.tile.rows, hi-i)
			if rows < t.tile.rows {
				a, stride = t.lastRows(i, rows, k, depth), depth
			}
			for _, p := range t.panels {
				t.multiply(p, a, stride, k, depth, i, rows, edge)
			}
		}
	}
}

// lastRows returns a copy of rows that are fewer than a tile has.
func (t tall) lastRows(first, rows, k, depth int) []float32 {
	a := make([]float32, t.tile.rows*depth)
	for i := range rows {
		copy(a[i*depth:(i+1)*depth], t.a.Value[(first+i)*t.a.Stride+k:])
	}
	return a
}

// multiply computes one tile, by way of edge where it is not a full one.
func (t tall) multiply(p panelOfTall, a []float32, stride, k, depth, row, rows int, edge []float64) {
	kernel := t.tile.wide
	if p.width < t.tile.cols {
		kernel = t.tile.narrow
	}
	c, b := t.c.Value[row*t.c.Stride+p.first:], p.value[k*p.width:]
	if rows == t.tile.rows && p.count == p.width {
		kernel(depth, a, stride, b, c, t.c.Stride)
		return
	}
	for i := range rows {
		copy(edge[i*p.width:][:p.count], c[i*t.c.Stride:])
	}
	kernel(depth, a, stride, b, edge, p.width)
	for i := range rows {
		copy(c[i*t.c.Stride:][:p.count], edge[i*p.width:])
	}
}
