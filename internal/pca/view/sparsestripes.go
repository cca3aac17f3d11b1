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
	of               matrix.Matrix
	cols, m, threads int
	tall             int           // rows of a stripe
	laid             []*sparseRows // all stripes, if they are laid out; nil: one after another is
	*sparseRows                    // the stripe

	q     []*tile // the vectors
	p     []*tile // P of the stripe
	total []*tile // the sum
}

// sparseRows are rows and, where byCol is not empty, their columns but for empty ones.
type sparseRows struct {
	rows         int
	byRow, byCol compressed
	column       []int   // of each list of byCol
	next         []int64 // scratch
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
	return &sparseStripes{of: x, cols: cols, m: m, threads: threads, tall: 4096, sparseRows: &sparseRows{}, p: newTiles(m, 0)}
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

func (s *sparseStripes) height() int { return s.tall }

func (s *sparseStripes) set(lo, hi int) {
	if s.laid != nil {
		s.sparseRows = s.laid[lo/s.tall]
		return
	}
	s.list(s.of, lo, hi)
}

// list makes the stripe rows lo to hi of x, those of a CSR where they are.
func (s *sparseRows) list(x matrix.Matrix, lo, hi int) {
	s.rows, s.byCol.start = hi-lo, s.byCol.start[:0]
	c := &s.byRow
	if csr, ok := x.(*matrix.CSR); ok {
		*c = compressed{csr.Start[lo : hi+1], csr.Index, csr.Value}
		return
	}
	c.start, c.index, c.value = append(c.start[:0], 0), c.index[:0], c.value[:0]
	for i := range s.rows {
		row := x.Row(lo + i)
		c.index, c.value = append(c.index, row.Index...), append(c.value, row.Value...)
		c.start = append(c.start, int64(len(c.value)))
	}
}

// transpose lists byRow by columns, of which it leaves out the empty ones.
func (s *sparseRows) transpose(cols int) {
	from, to := &s.byRow, &s.byCol
	s.next = algebra.Sized(s.next, cols)
	clear(s.next)
	for _, j := range from.index[from.start[0]:from.start[s.rows]] {
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
	to.index, to.value = algebra.Sized(to.index, int(end)), algebra.Sized(to.value, int(end))
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
		if t.width == s.m {
			s.byRow.times(dst, t, s.threads)
			continue
		}
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
		s.transpose(s.cols)
	}
	for k, t := range s.p {
		t.lay(p, s.rows, s.m)
		t.out = algebra.Sized(t.out, len(s.column)*t.width)
		s.byCol.times(t.out, t, s.threads)
		if len(s.column) == s.cols {
			vec.Axpy64(s.total[k].block, 1, t.out)
			continue
		}
		for c, j := range s.column {
			vec.Axpy64(s.total[k].block[j*t.width:(j+1)*t.width], 1, t.out[c*t.width:(c+1)*t.width])
		}
	}
}

// lay sets the tile to its part of p, rows x m.
func (t *tile) lay(p []float64, rows, m int) {
	if t.width == m {
		t.block = p[:rows*m]
		return
	}
	t.block = algebra.Sized(t.block, rows*t.width)
	for i := range rows {
		copy(t.block[i*t.width:(i+1)*t.width], p[i*m+t.first:][:t.used])
		clear(t.block[i*t.width+t.used : (i+1)*t.width])
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
