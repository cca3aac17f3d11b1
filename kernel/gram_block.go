package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// work is the memory of one goroutine.
type work[T float32 | float64] struct {
	block  [blocksAtOnce]*block[T]
	blocks int // filled
	tile   []T
	values [][]T // its rows

	across []T        // a tile the other way: few rows asked for, side by side
	at     []int      // its rows
	packed matrix.CSR // rows of a set that is not sparse
}

func newWork[T float32 | float64](width, cols int) *work[T] {
	length := blocksAtOnce * width
	w := &work[T]{tile: make([]T, askedAtOnce*length), values: make([][]T, askedAtOnce)}
	for r := range w.values {
		w.values[r] = w.tile[r*length : (r+1)*length]
	}
	for i := range w.block {
		w.block[i] = newBlock[T](width, cols)
	}
	w.across, w.at = make([]T, length*width/4), make([]int, length)
	for r := range w.at {
		w.at[r] = r * width / 4
	}
	return w
}

// blockBytes is about how many bytes of blocks are in use at once: half of a
// second-level cache of two megabytes.
const blockBytes = 1 << 20

// fill makes blocks of the rows from lo to hi, as many as are of use at once;
// it returns up to which row.
func (w *work[T]) fill(x matrix.Matrix, lo, hi int) int {
	size := 0
	for w.blocks = 0; w.blocks < len(w.block) && lo < hi && size < blockBytes; w.blocks++ {
		b := w.block[w.blocks]
		end := min(lo+b.width, hi)
		b.fill(x, lo, end)
		size += 256 / b.width * len(b.value)
		lo = end
	}
	return lo
}

// stream returns a sparse matrix and the part of its offsets that says where
// rows lo to hi of x are.
func (w *work[T]) stream(x matrix.Matrix, lo, hi int) (*matrix.CSR, []int64) {
	if x, ok := x.(*matrix.CSR); ok {
		return x, x.Start[lo : hi+1]
	}
	w.packed.Start, w.packed.Index, w.packed.Value = append(w.packed.Start[:0], 0), w.packed.Index[:0], w.packed.Value[:0]
	for i := lo; i < hi; i++ {
		appendNonzeros(&w.packed, x.Row(i))
	}
	return &w.packed, w.packed.Start
}

// A block is consecutive rows side by side: element j of row l is
// value[width*j+l]; with slots, element slot[j], and slot 0 is zeros.
type block[T float32 | float64] struct {
	width int
	value []T
	slot  []uint32
	used  []uint32 // columns that have a slot
}

// mostColumns is how many columns a block has in full. Of wider sets it has
// those that occur in it.
const mostColumns = 2048

func newBlock[T float32 | float64](width, cols int) *block[T] {
	b := &block[T]{width: width}
	if cols > mostColumns {
		b.slot = make([]uint32, cols)
	}
	return b
}

// fill makes the block of the rows from lo to hi.
func (b *block[T]) fill(x matrix.Matrix, lo, hi int) {
	_, cols := x.Dims()
	if b.slot != nil {
		b.number(x, lo, hi)
		cols = 1 + len(b.used)
	}
	if size := cols * b.width; size > cap(b.value) {
		b.value = make([]T, size, size+size/4)
	} else {
		b.value = b.value[:size]
		clear(b.value)
	}
	for i := lo; i < hi; i++ {
		b.put(i-lo, x.Row(i))
	}
}

// number gives slots to the columns of the rows from lo to hi.
func (b *block[T]) number(x matrix.Matrix, lo, hi int) {
	for _, j := range b.used {
		b.slot[j] = 0
	}
	b.used = b.used[:0]
	for i := lo; i < hi; i++ {
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
