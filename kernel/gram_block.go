package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// work is the memory of one goroutine.
type work[T float32 | float64] struct {
	across []T        // a tile: a row for each row of a set that passes by
	at     []int      // where these rows are
	tile   []T        // its transpose
	values [][]T      // the rows of that
	packed matrix.CSR // rows of a set that is not sparse
}

func newWork[T float32 | float64](width int) *work[T] {
	w := &work[T]{across: make([]T, passing*width), at: make([]int, passing), tile: make([]T, width*passing), values: make([][]T, width)}
	for r := range w.values {
		w.values[r] = w.tile[r*passing : (r+1)*passing]
	}
	return w
}

// stream returns a sparse matrix and the part of its offsets that says where
// rows lo to hi of x are.
func (w *work[T]) stream(x matrix.Matrix, lo, hi int) (*matrix.CSR, []int64) {
	if x, ok := x.(*matrix.CSR); ok {
		return x, x.Start[lo : hi+1]
	}
	p := &w.packed
	p.Start, p.Index, p.Value = append(p.Start[:0], 0), p.Index[:0], p.Value[:0]
	for i := lo; i < hi; i++ {
		row := x.Row(i)
		for k, v := range row.Value {
			if v != 0 {
				p.Index, p.Value = append(p.Index, uint32(row.Column(k))), append(p.Value, v)
			}
		}
		p.Start = append(p.Start, int64(len(p.Value)))
	}
	return p, p.Start
}

// A block is consecutive rows side by side: element j of row l is
// value[width*j+l]; with slots, element slot[j], and slot 0 is zeros.
type block[T float32 | float64] struct {
	lo, hi int // which rows; up to width
	width  int
	value  []T
	slot   []uint32
	used   []uint32 // columns that have a slot
}

// A group is blocks that are in use together.
type group[T float32 | float64] struct {
	blocks []block[T]
	hi     int // up to which row
}

// groupBytes is about how many bytes a group has: half of a second-level cache
// of two megabytes.
const groupBytes = 1 << 20

// fill makes blocks of the rows of x from lo on, in the memory of those before:
// wide ones, and at the end a narrow one where it suffices.
func (g *group[T]) fill(x set[T], lo, wide, narrow int) {
	blocks := g.blocks[:cap(g.blocks)]
	size := 0
	for g.blocks = blocks[:0]; lo < len(x.norm) && size < groupBytes; g.hi = lo {
		width := wide
		if len(x.norm)-lo <= narrow {
			width = narrow
		}
		if len(g.blocks) == len(blocks) {
			blocks = append(blocks, block[T]{})
		}
		g.blocks = blocks[:len(g.blocks)+1]
		b := &blocks[len(g.blocks)-1]
		b.lo, b.hi, b.width = lo, min(lo+width, len(x.norm)), width
		b.fill(x.Matrix)
		size += 256 / wide * len(b.value)
		lo = b.hi
	}
}

// mostColumns is how many columns a block has in full. Of wider sets it has
// those that occur in it.
const mostColumns = 2048

// fill makes the block of its rows of x.
func (b *block[T]) fill(x matrix.Matrix) {
	_, cols := x.Dims()
	if cols > mostColumns {
		if b.slot == nil {
			b.slot = make([]uint32, cols)
		}
		b.number(x)
		cols = 1 + len(b.used)
	}
	if size := cols * b.width; size > cap(b.value) {
		b.value = make([]T, size, size+size/4)
	} else {
		b.value = b.value[:size]
		clear(b.value)
	}
	for i := b.lo; i < b.hi; i++ {
		b.put(i-b.lo, x.Row(i))
	}
}

// number gives slots to the columns of the rows.
func (b *block[T]) number(x matrix.Matrix) {
	for _, j := range b.used {
		b.slot[j] = 0
	}
	b.used = b.used[:0]
	for i := b.lo; i < b.hi; i++ {
		row := x.Row(i)
		for k := range row.Value {
			if j := row.Column(k); b.slot[j] == 0 {
				b.used = append(b.used, uint32(j))
				b.slot[j] = uint32(len(b.used))
			}
		}
	}
}

// put writes row number l.
func (b *block[T]) put(l int, row matrix.Vector) {
	switch {
	case b.slot != nil:
		for k, v := range row.Value {
			b.value[b.width*int(b.slot[row.Column(k)])+l] = T(v)
		}
	case row.Index == nil:
		for j, v := range row.Value {
			b.value[b.width*j+l] = T(v)
		}
	default:
		for k, j := range row.Index {
			b.value[b.width*int(j)+l] = T(row.Value[k])
		}
	}
}
