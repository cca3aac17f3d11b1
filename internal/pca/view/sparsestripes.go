package view

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/tiles"
	"github.com/fenchel-ml/fenchel/matrix"
)

// sparseStripes multiply sparse rows, at a cost of the nonzeros times m.
type sparseStripes struct {
	of            matrix.Matrix
	rows, cols, m int // rows: of the stripe
	threads       int

	byRow, byCol compressed
	column       []int   // of each list of byCol
	next         []int64 // scratch

	q     []*tile // the vectors
	p     []*tile // P of the stripe
	total []*tile // the sum
}

// A compressed matrix is a list of lists: vec's form of sparse rows.
type compressed struct {
	start []int64
	index []uint32
	value []float32
}

// A tile is some vectors side by side, element j of vector first+l at
// block[width*j+l].
type tile struct {
	first, used, width int
	block, out         []float64
}

func newSparseStripes(x matrix.Matrix, m, threads int) *sparseStripes {
	_, cols := x.Dims()
	return &sparseStripes{of: x, cols: cols, m: m, threads: threads, p: newTiles(m, 0)}
}

// newTiles cuts m vectors into tiles, with room for n elements each.
func newTiles(m, n int) []*tile {
	var list []*tile
	for first := 0; first < m; {
		width := tiles.NarrowWidth64
		if m-first > tiles.Width64*3/4 {
			width = tiles.Width64
		}
		t := &tile{first: first, used: min(width, m-first), width: width, block: make([]float64, width*n)}
		list = append(list, t)
		first += t.used
	}
	return list
}

func (s *sparseStripes) height() int { return 4096 }

func (s *sparseStripes) set(lo, hi int) {
	s.rows = hi - lo
	c := &s.byRow
	c.start, c.index, c.value = append(c.start[:0], 0), c.index[:0], c.value[:0]
	for i := range s.rows {
		x := s.of.Row(lo + i)
		c.index, c.value = append(c.index, x.Index...), append(c.value, x.Value...)
		c.start = append(c.start, int64(len(c.value)))
	}
	s.byCol.start = s.byCol.start[:0]
}

// transpose lists byRow by columns, of which it leaves out the empty ones.
func (s *sparseStripes) transpose() {
	from, to := &s.byRow, &s.byCol
	s.next = algebra.Sized(s.next, s.cols)
	clear(s.next)
	for _, j := range from.index {
		s.next[j]++
	}
	s.column, to.start = s.column[:0], append(to.start[:0], 0)
	end := int64(0)
	for j, n := range s.next {
		s.next[j] = end
		if n > 0 {
			end += n
			s.column, to.start = append(s.column, j), append(to.start, end)
		}
	}
	to.index, to.value = algebra.Sized(to.index, len(from.index)), algebra.Sized(to.value, len(from.value))
	for i := range s.rows {
		for k := from.start[i]; k < from.start[i+1]; k++ {
			at := &s.next[from.index[k]]
			to.index[*at], to.value[*at] = uint32(i), from.value[k]
			*at++
		}
	}
}

func (s *sparseStripes) right(q []float64) {
	s.q = newTiles(s.m, s.cols)
	for _, t := range s.q {
		into := blas.Block[float64]{Value: t.block, Rows: s.cols, Cols: t.used, Stride: t.width}
		blas.Transpose64(into, algebra.Block(q[t.first*s.cols:], t.used, s.cols))
	}
}

func (s *sparseStripes) times(dst []float64) {
	for _, t := range s.q {
		t.out = algebra.Sized(t.out, s.rows*t.width)
		s.byRow.times(t.out, t, s.threads)
		for i := range s.rows {
			copy(dst[i*s.m+t.first:][:t.used], t.out[i*t.width:])
		}
	}
}

// times sets dst, lists x t.width, to the products with the tile.
func (c *compressed) times(dst []float64, t *tile, threads int) {
	const size = 256
	parallel.Blocks(len(c.start)-1, size, threads, func(_, from, to int) {
		var at [size]int
		for i := from; i < to; i++ {
			at[i-from] = i * t.width
		}
		tiles.Sparse64(dst, at[:to-from], t.block, t.width, nil, c.start[from:to+1], c.index, c.value)
	})
}

func (s *sparseStripes) add(p []float64) {
	if s.total == nil {
		s.total = newTiles(s.m, s.cols)
	}
	if len(s.byCol.start) == 0 {
		s.transpose()
	}
	for k, t := range s.p {
		t.block = algebra.Sized(t.block, s.rows*t.width)
		for i := range s.rows {
			copy(t.block[i*t.width:(i+1)*t.width], p[i*s.m+t.first:][:t.used])
			clear(t.block[i*t.width+t.used : (i+1)*t.width])
		}
		t.out = algebra.Sized(t.out, len(s.column)*t.width)
		s.byCol.times(t.out, t, s.threads)
		for c, j := range s.column {
			vec.Axpy64(s.total[k].block[j*t.width:(j+1)*t.width], 1, t.out[c*t.width:(c+1)*t.width])
		}
	}
}

func (s *sparseStripes) sum(dst []float64) {
	if s.total == nil { // there are no rows
		clear(dst)
	}
	for _, t := range s.total {
		from := blas.Block[float64]{Value: t.block, Rows: s.cols, Cols: t.used, Stride: t.width}
		blas.Transpose64(algebra.Block(dst[t.first*s.cols:], t.used, s.cols), from)
	}
}

func rowsOf(x *matrix.Dense, lo, hi int) blas.Block[float32] {
	return algebra.Block(x.Value[lo*x.Cols:hi*x.Cols], hi-lo, x.Cols)
}
