package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// A stripe is some consecutive rows, laid out for products with vectors.
type stripe struct {
	of         Rows
	rows, cols int
	sparse     bool

	dense []float64 // rows x cols, offset and factor applied
	turn  []float64 // its transpose, cols x rows

	byRow, byCol compressed // of X alone
	column       []int      // of each list of byCol
	slot         []int64    // scratch
}

// A compressed matrix is a list of lists: vec's form of sparse rows.
type compressed struct {
	start []int64
	index []uint32
	value []float32
}

// set lays out rows lo to hi of r.
func (s *stripe) set(r Rows, lo, hi, threads int) {
	_, s.cols = r.Dims()
	s.of, s.rows = r, hi-lo
	if s.sparse {
		s.gather(lo)
		s.transpose()
		return
	}
	s.dense = sized(s.dense, s.rows*s.cols)
	s.turn = sized(s.turn, s.rows*s.cols)
	matrix.Blocks(s.rows, 32, threads, func(_, from, to int) {
		for i := from; i < to; i++ {
			r.Row(s.dense[i*s.cols:(i+1)*s.cols], lo+i)
		}
		vec.Transpose64(vec.Block[float64]{Value: s.turn[from:], Rows: s.cols, Cols: to - from, Stride: s.rows},
			vec.Block[float64]{Value: s.dense[from*s.cols:], Rows: to - from, Cols: s.cols, Stride: s.cols})
	})
}

// gather copies the sparse rows from lo on.
func (s *stripe) gather(lo int) {
	c := &s.byRow
	c.start, c.index, c.value = append(c.start[:0], 0), c.index[:0], c.value[:0]
	for i := range s.rows {
		x := s.of.X.Row(lo + i)
		c.index, c.value = append(c.index, x.Index...), append(c.value, x.Value...)
		c.start = append(c.start, int64(len(c.value)))
	}
}

// transpose lists byRow by columns, of which it leaves out the empty ones.
func (s *stripe) transpose() {
	from, to := &s.byRow, &s.byCol
	s.slot = sized(s.slot, s.cols+1)
	clear(s.slot)
	for _, j := range from.index {
		s.slot[j]++
	}
	s.column, to.start = s.column[:0], append(to.start[:0], 0)
	end := int64(0)
	for j, n := range s.slot[:s.cols] {
		s.slot[j] = end
		if n > 0 {
			end += n
			s.column, to.start = append(s.column, j), append(to.start, end)
		}
	}
	to.index, to.value = sized(to.index, len(from.index)), sized(to.value, len(from.value))
	for i := range s.rows {
		for k := from.start[i]; k < from.start[i+1]; k++ {
			at := &s.slot[from.index[k]]
			to.index[*at], to.value[*at] = uint32(i), from.value[k]
			*at++
		}
	}
}

// times sets dst, rows x m, to the products with the vectors.
func (s *stripe) times(dst []float64, q *right, threads int) {
	m := q.m
	if !s.sparse {
		clear(dst)
		vec.Gemm64(vec.Block[float64]{Value: dst, Rows: s.rows, Cols: m, Stride: m},
			vec.Block[float64]{Value: s.dense, Rows: s.rows, Cols: s.cols, Stride: s.cols},
			vec.Block[float64]{Value: q.dense, Rows: m, Cols: s.cols, Stride: s.cols}, threads)
		return
	}
	lists := len(s.byRow.start) - 1
	for _, t := range q.tiles {
		out := sized(t.out, lists*t.width)
		s.byRow.tile(out, t, threads)
		for i := range s.rows {
			for l := range t.used {
				dst[i*m+t.first+l] = out[i*t.width+l] - q.shift[t.first+l]
			}
		}
		t.out = out
	}
}

// tile sets dst, lists x t.width, to the products with the tile.
func (c *compressed) tile(dst []float64, t *tile, threads int) {
	const size = 256
	matrix.Blocks(len(c.start)-1, size, threads, func(_, from, to int) {
		var at [size]int
		for i := from; i < to; i++ {
			at[i-from] = i * t.width
		}
		vec.SparseTile64(dst, at[:to-from], t.block, t.width, nil, c.start[from:to+1], c.index, c.value)
	})
}

// A tile is some vectors side by side, element j of vector first+l at
// block[width*j+l].
type tile struct {
	first, used, width int
	block, out         []float64
}

// tiles cuts m vectors into tiles, with room for n elements each.
func tiles(m, n int) []*tile {
	var list []*tile
	for first := 0; first < m; {
		width := vec.NarrowTileWidth64
		if m-first > vec.TileWidth64*3/4 {
			width = vec.TileWidth64
		}
		t := &tile{first: first, used: min(width, m-first), width: width, block: make([]float64, width*n)}
		list = append(list, t)
		first += t.used
	}
	return list
}

// right is the vectors that stripes are multiplied with.
type right struct {
	m     int
	dense []float64
	tiles []*tile
	shift []float64 // the products with Offset
}

// right prepares the rows of q, m x d.
func (p product) right(q []float64) *right {
	r := &right{m: p.m, dense: q}
	if !p.sparse {
		return r
	}
	d := p.cols
	r.tiles, r.shift = tiles(p.m, d), make([]float64, p.m)
	scaled := make([]float64, d)
	for _, t := range r.tiles {
		for l := range t.used {
			copy(scaled, q[(t.first+l)*d:(t.first+l+1)*d])
			for j, f := range p.of.Factor {
				scaled[j] *= f
			}
			if p.of.Offset != nil {
				r.shift[t.first+l] = vec.Dot64(scaled, p.of.Offset)
			}
			for j, x := range scaled {
				t.block[j*t.width+l] = x
			}
		}
	}
	return r
}

// A sum is P^T R of the stripes so far.
type sum struct {
	of    product
	dense []float64 // d x m
	turn  []float64 // scratch: P^T of a stripe
	tiles []*tile   // of d elements
	left  []*tile   // scratch: P of a stripe
	total []float64 // P^T 1
}

func (p product) sum() *sum {
	s := &sum{of: p}
	if !p.sparse {
		s.dense = make([]float64, p.cols*p.m)
		return s
	}
	s.tiles, s.left = tiles(p.m, p.cols), tiles(p.m, 0)
	s.total = make([]float64, p.m)
	return s
}

// add adds P^T R of a stripe, where p is rows x m.
func (a *sum) add(s *stripe, p []float64, threads int) {
	m := a.of.m
	if !s.sparse {
		a.turn = sized(a.turn, m*s.rows)
		turned := vec.Block[float64]{Value: a.turn, Rows: m, Cols: s.rows, Stride: s.rows}
		vec.Transpose64(turned, vec.Block[float64]{Value: p, Rows: s.rows, Cols: m, Stride: m})
		vec.Gemm64(vec.Block[float64]{Value: a.dense, Rows: s.cols, Cols: m, Stride: m},
			vec.Block[float64]{Value: s.turn, Rows: s.cols, Cols: s.rows, Stride: s.rows}, turned, threads)
		return
	}
	for i := range s.rows {
		vec.Axpy64(a.total, 1, p[i*m:(i+1)*m])
	}
	for k, t := range a.left {
		t.block = sized(t.block, s.rows*t.width)
		for i := range s.rows {
			copy(t.block[i*t.width:(i+1)*t.width], p[i*m+t.first:][:t.used])
			clear(t.block[i*t.width+t.used : (i+1)*t.width])
		}
		t.out = sized(t.out, len(s.column)*t.width)
		s.byCol.tile(t.out, t, threads)
		for c, j := range s.column {
			vec.Axpy64(a.tiles[k].block[j*t.width:(j+1)*t.width], 1, t.out[c*t.width:(c+1)*t.width])
		}
	}
}

// copyTo sets dst, m x d, to the sum.
func (a *sum) copyTo(dst []float64) {
	m, d := a.of.m, a.of.cols
	if !a.of.sparse {
		vec.Transpose64(vec.Block[float64]{Value: dst, Rows: m, Cols: d, Stride: d},
			vec.Block[float64]{Value: a.dense, Rows: d, Cols: m, Stride: m})
		return
	}
	for _, t := range a.tiles {
		for l := range t.used {
			row := dst[(t.first+l)*d : (t.first+l+1)*d]
			for j := range row {
				row[j] = t.block[j*t.width+l]
			}
			if a.of.of.Offset != nil {
				vec.Axpy64(row, -a.total[t.first+l], a.of.of.Offset)
			}
			for j, f := range a.of.of.Factor {
				row[j] *= f
			}
		}
	}
}

// sized returns n numbers of any value in the memory of x, if there is enough.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n, n+n/4)
	}
	return x[:n]
}
