package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// work is the memory of one goroutine, and the rows of a set that pass by.
type work[T float32 | float64] struct {
	across []T   // a tile: a row for each row that passes by
	at     []int // where these rows are
	tile   []T   // its transpose
	values [][]T // the rows of that

	lo, hi int // which rows pass by: those that start says of rows
	rows   *matrix.CSR
	start  []int64
	packed packed // what rows is, if the set is not sparse
}

func newWork[T float32 | float64](width int) *work[T] {
	w := &work[T]{across: make([]T, passing*width), at: make([]int, passing), tile: make([]T, width*passing), values: make([][]T, width)}
	for r := range w.values {
		w.values[r] = w.tile[r*passing : (r+1)*passing]
	}
	return w
}

// pass lets rows lo to hi of y pass by.
func (w *work[T]) pass(t *tiler[T], y set[T], lo, hi int) {
	w.lo, w.hi = lo, hi
	if t.inner == nil {
		return
	}
	if y, ok := y.Matrix.(*matrix.CSR); ok {
		w.rows, w.start = y, y.Start[lo:hi+1]
		return
	}
	w.rows = w.packed.pack(y, lo, hi)
	w.start = w.rows.Start
}

// packed is rows in memory that is used again.
type packed struct{ csr matrix.CSR }

// pack copies rows lo to hi of x, without zeros.
func (p *packed) pack(x matrix.Matrix, lo, hi int) *matrix.CSR {
	c := &p.csr
	c.Start, c.Index, c.Value = append(c.Start[:0], 0), c.Index[:0], c.Value[:0]
	for i := lo; i < hi; i++ {
		appendNonzeros(c, x.Row(i))
	}
	return c
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

// A group is blocks that are in use together, or few rows instead.
type group[T float32 | float64] struct {
	packed
	blocks []block[T]
	hi     int // up to which row
}

// groupBytes is about how many bytes a group has: half of a second-level cache
// of two megabytes.
const groupBytes = 1 << 20

// next replaces the blocks by those of the rows of x that follow: wide ones, and
// at the end a narrow one where it suffices.
func (t *tiler[T]) next(g *group[T], x set[T]) {
	g.blocks = g.blocks[:0]
	for size := 0; g.hi < len(x.norm) && size < groupBytes; {
		width := t.wide
		if len(x.norm)-g.hi <= t.narrow {
			width = t.narrow
		}
		if len(g.blocks) < cap(g.blocks) {
			g.blocks = g.blocks[:len(g.blocks)+1] // with the memory it has
		} else {
			g.blocks = append(g.blocks, block[T]{})
		}
		b := &g.blocks[len(g.blocks)-1]
		b.lo, b.hi, b.width = g.hi, min(g.hi+width, len(x.norm)), width
		g.hi = b.hi
		if t.inner != nil {
			b.fill(x.Matrix)
			size += 256 / t.wide * len(b.value)
		}
	}
}

// mostColumns is how many columns a block has in full. Of wider sets it has
// those that occur in it.
const mostColumns = 2048

// fill makes the block of its rows of x.
func (b *block[T]) fill(x matrix.Matrix) {
	_, cols := x.Dims()
	if cols > mostColumns {
		if len(b.slot) < cols {
			b.slot, b.used = make([]uint32, cols), nil
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
