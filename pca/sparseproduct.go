package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// A sparseProduct multiplies stripes of sparse rows, at a cost of the nonzeros
// times m, offset and factor applied to what the rows are multiplied with.
type sparseProduct struct {
	of            Rows
	rows, cols, m int // rows: of the stripe
	threads       int

	byRow, byCol compressed // the stripe of X
	column       []int      // of each list of byCol
	next         []int64    // scratch

	q     []*tile   // the vectors times Factor
	shift []float64 // their products with Offset
	left  []*tile   // P of the stripe
	p     []float64 // scratch

	total []*tile   // the sum
	count []float64 // P^T 1
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

func newSparseProduct(r Rows, m, threads int) *sparseProduct {
	_, cols := r.Dims()
	return &sparseProduct{of: r, cols: cols, m: m, threads: threads, left: tiles(m, 0)}
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

func (p *sparseProduct) height() int { return 4096 }

func (p *sparseProduct) set(lo, hi int) {
	p.rows = hi - lo
	c := &p.byRow
	c.start, c.index, c.value = append(c.start[:0], 0), c.index[:0], c.value[:0]
	for i := range p.rows {
		x := p.of.X.Row(lo + i)
		c.index, c.value = append(c.index, x.Index...), append(c.value, x.Value...)
		c.start = append(c.start, int64(len(c.value)))
	}
	p.transpose()
}

// transpose lists byRow by columns, of which it leaves out the empty ones.
func (p *sparseProduct) transpose() {
	from, to := &p.byRow, &p.byCol
	p.next = sized(p.next, p.cols)
	clear(p.next)
	for _, j := range from.index {
		p.next[j]++
	}
	p.column, to.start = p.column[:0], append(to.start[:0], 0)
	end := int64(0)
	for j, n := range p.next {
		p.next[j] = end
		if n > 0 {
			end += n
			p.column, to.start = append(p.column, j), append(to.start, end)
		}
	}
	to.index, to.value = sized(to.index, len(from.index)), sized(to.value, len(from.value))
	for i := range p.rows {
		for k := from.start[i]; k < from.start[i+1]; k++ {
			at := &p.next[from.index[k]]
			to.index[*at], to.value[*at] = uint32(i), from.value[k]
			*at++
		}
	}
}

func (p *sparseProduct) right(q []float64) {
	d := p.cols
	p.q, p.shift = tiles(p.m, d), make([]float64, p.m)
	scaled := make([]float64, d)
	for _, t := range p.q {
		for l := range t.used {
			copy(scaled, q[(t.first+l)*d:(t.first+l+1)*d])
			for j, f := range p.of.Factor {
				scaled[j] *= f
			}
			if p.of.Offset != nil {
				p.shift[t.first+l] = vec.Dot64(scaled, p.of.Offset)
			}
			for j, x := range scaled {
				t.block[j*t.width+l] = x
			}
		}
	}
}

func (p *sparseProduct) times(dst []float64) {
	for _, t := range p.q {
		t.out = sized(t.out, p.rows*t.width)
		p.byRow.times(t.out, t, p.threads)
		for i := range p.rows {
			row := dst[i*p.m+t.first:][:t.used]
			for l, shift := range p.shift[t.first:][:t.used] {
				row[l] = t.out[i*t.width+l] - shift
			}
		}
	}
}

// times sets dst, lists x t.width, to the products with the tile.
func (c *compressed) times(dst []float64, t *tile, threads int) {
	const size = 256
	matrix.Blocks(len(c.start)-1, size, threads, func(_, from, to int) {
		var at [size]int
		for i := from; i < to; i++ {
			at[i-from] = i * t.width
		}
		vec.SparseTile64(dst, at[:to-from], t.block, t.width, nil, c.start[from:to+1], c.index, c.value)
	})
}

func (p *sparseProduct) add(y []float64) {
	if p.total == nil {
		p.total, p.count = tiles(p.m, p.cols), make([]float64, p.m)
	}
	for i := range p.rows {
		vec.Axpy64(p.count, 1, y[i*p.m:(i+1)*p.m])
	}
	for k, t := range p.left {
		t.block = sized(t.block, p.rows*t.width)
		for i := range p.rows {
			copy(t.block[i*t.width:(i+1)*t.width], y[i*p.m+t.first:][:t.used])
			clear(t.block[i*t.width+t.used : (i+1)*t.width])
		}
		t.out = sized(t.out, len(p.column)*t.width)
		p.byCol.times(t.out, t, p.threads)
		for c, j := range p.column {
			vec.Axpy64(p.total[k].block[j*t.width:(j+1)*t.width], 1, t.out[c*t.width:(c+1)*t.width])
		}
	}
}

func (p *sparseProduct) power() {
	p.p = sized(p.p, p.rows*p.m)
	p.times(p.p)
	p.add(p.p)
}

func (p *sparseProduct) sum(dst []float64) {
	if p.total == nil { // there are no rows
		clear(dst)
	}
	for _, t := range p.total {
		for l := range t.used {
			row := dst[(t.first+l)*p.cols:][:p.cols]
			for j := range row {
				row[j] = t.block[j*t.width+l]
			}
			if p.of.Offset != nil {
				vec.Axpy64(row, -p.count[t.first+l], p.of.Offset)
			}
			for j, f := range p.of.Factor {
				row[j] *= f
			}
		}
	}
}
