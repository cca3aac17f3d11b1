package blas

import "github.com/fenchel-ml/fenchel/internal/parallel"

// Products of a tall matrix with few rows: what they cost is to read the tall one. It is
// not packed; a tile takes twelve (or six) of its rows, some terms at a time in double precision,
// and all of the small factor, which is packed once. Every element is the same chain as in any product.

// rowsOfTall is up to how many rows of B a product A*B^T is taken for tall: more use what
// is packed often enough.
const rowsOfTall = 128

// termsOfTall is how many terms a step has at most: those of a tile and a panel
// stay in the first cache.
const termsOfTall = 192

// A tallTile is how a level multiplies rows of A that are stride apart by a packed panel
// of cols columns, or half of that; and columns of A, cols of them, by a packed panel of
// rows. Levels without kernels have rows = 0.
type tallTile struct {
	rows, cols   int
	wide, narrow func(k int, a []float64, stride int, b, c []float64, cStride int)
	columns      func(k int, b []float64, a []float32, stride int, c []float64, cStride int)
	widen        func(dst []float64, x []float32) int // copies the first numbers, and returns how many
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
	t.depth = min(t.a.Cols, roundUp(equalParts(t.a.Cols, termsOfTall), 8))
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
	edge, a := make([]float64, t.tile.rows*t.tile.cols), make([]float64, t.tile.rows*t.depth)
	for k := 0; k < t.a.Cols; k += t.depth {
		depth := min(t.depth, t.a.Cols-k)
		for i := lo; i < hi; i += t.tile.rows {
			rows := min(t.tile.rows, hi-i)
			if depth == t.a.Stride {
				t.copy(a, i*depth, rows*depth)
			} else {
				for r := range rows {
					t.copy(a[r*depth:], (i+r)*t.a.Stride+k, depth)
				}
			}
			for _, p := range t.panels {
				t.multiply(p, a, k, depth, i, rows, edge)
			}
		}
	}
}

// copy sets dst to n numbers of A.
func (t tall) copy(dst []float64, from, n int) {
	x := t.a.Value[from : from+n]
	for j := t.tile.widen(dst[:n], x); j < n; j++ {
		dst[j] = float64(x[j])
	}
}

// multiply computes one tile, by way of edge where it is not a full one.
func (t tall) multiply(p panelOfTall, a []float64, k, depth, row, rows int, edge []float64) {
	kernel := t.tile.wide
	if p.width < t.tile.cols {
		kernel = t.tile.narrow
	}
	c, b := t.c.Value[row*t.c.Stride+p.first:], p.value[k*p.width:]
	if rows == t.tile.rows && p.count == p.width {
		kernel(depth, a, depth, b, c, t.c.Stride)
		return
	}
	for i := range rows {
		copy(edge[i*p.width:][:p.count], c[i*t.c.Stride:])
	}
	kernel(depth, a, depth, b, edge, p.width)
	for i := range rows {
		copy(c[i*t.c.Stride:][:p.count], edge[i*p.width:])
	}
}
