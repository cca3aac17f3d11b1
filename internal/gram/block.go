package gram

import (
	"github.com/fenchel-ml/fenchel/matrix"
)

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

// rowStride returns the distance of rows of n values: a multiple of a cache
// line, but an odd one, so that rows do not compete for the same places of the
// processor's caches.
func rowStride(n int) int { return ((n+15)/16 | 1) * 16 }
