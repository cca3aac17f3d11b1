package kernel

import (
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// Many values of an inner kernel are computed in tiles, of some rows asked for
// and a block of consecutive rows of the set. The rows of the block are written
// side by side as dense ones; then every nonzero value of a row asked for makes
// one multiply-add for a whole vector of inner products. The kernel turns these
// into its values while they are in the first cache.
//
// Rows that are stored dense take part with their nonzero values: on digits (19 %
// nonzero) that is two to three times as fast as a dense product.

// An arithmetic is tiles in one precision.
type arithmetic[T float32 | float64] struct {
	width int // rows in a block
	tile  func(dst []T, at []int, block []T, width int, slot []uint32, start []int64, index []uint32, value []float32)
	of    func(k Inner, dst []T, xx T, yy []T)
}

var (
	inSingle = arithmetic[float32]{vec.TileWidth32, vec.SparseTile32, Inner.Of32}
	inDouble = arithmetic[float64]{vec.TileWidth64, vec.SparseTile64, Inner.Of}
)

// A tiler computes values of k between rows of x.
type tiler[T float32 | float64] struct {
	arithmetic[T]
	k    Inner
	x    matrix.Matrix
	norm []T // squared norms, and zeros up to a full block
	work sync.Pool
}

func newTiler[T float32 | float64](a arithmetic[T], k Inner, x matrix.Matrix, norm []float64) *tiler[T] {
	t := &tiler[T]{arithmetic: a, k: k, x: x, norm: make([]T, len(norm)+a.width)}
	for i, xx := range norm {
		t.norm[i] = T(xx)
	}
	_, cols := x.Dims()
	t.work.New = func() any {
		b := &block[T]{width: a.width}
		if cols > mostColumns {
			b.slot = make([]uint32, cols)
		}
		return b
	}
	return t
}

// mostColumns is how many columns a block has in full: half of a second-level
// cache of a megabyte. Of wider sets it has those that occur in it.
const mostColumns = 2048

// rowsAtOnce is how many rows asked for make a tile.
const rowsAtOnce = 16

// rows sets dst[at[k]+j] = k(x_i,x_j), i being rows[k], for all j, and up to
// a full block of them.
func (t *tiler[T]) rows(dst []T, at, rows []int, threads int) {
	asked := pack(t.x, rows)
	n, _ := t.x.Dims()
	matrix.Blocks(n, t.width, threads, func(_, lo, hi int) {
		b := t.work.Get().(*block[T])
		defer t.work.Put(b)
		b.fill(t.x, lo, hi)
		var place [rowsAtOnce]int
		for k := 0; k < len(rows); k += rowsAtOnce {
			end := min(k+rowsAtOnce, len(rows))
			for r := k; r < end; r++ {
				place[r-k] = at[r] + lo
			}
			t.tile(dst, place[:end-k], b.value, t.width, b.slot, asked.Start[k:end+1], asked.Index, asked.Value)
			for r := k; r < end; r++ {
				t.of(t.k, dst[at[r]+lo:][:t.width], t.norm[rows[r]], t.norm[lo:lo+t.width])
			}
		}
		b.clear(t.x, lo, hi)
	})
}

// combine sets dst[i] to the sum of beta[j] k(x_i,x_j) over the rows j of
// support, in order.
func (t *tiler[T]) combine(dst []float64, support []int, beta []float64, threads int) {
	asked := pack(t.x, support)
	n, _ := t.x.Dims()
	matrix.Blocks(n, t.width, threads, func(_, lo, hi int) {
		b := t.work.Get().(*block[T])
		defer t.work.Put(b)
		b.fill(t.x, lo, hi)
		tile := make([]T, rowsAtOnce*t.width)
		var place [rowsAtOnce]int
		for r := range place {
			place[r] = r * t.width
		}
		clear(dst[lo:hi])
		for k := 0; k < len(support); k += rowsAtOnce {
			end := min(k+rowsAtOnce, len(support))
			t.tile(tile, place[:end-k], b.value, t.width, b.slot, asked.Start[k:end+1], asked.Index, asked.Value)
			for r := k; r < end; r++ {
				values := tile[place[r-k]:][:t.width]
				t.of(t.k, values, t.norm[support[r]], t.norm[lo:lo+t.width])
				c := beta[support[r]]
				for l := range hi - lo {
					dst[lo+l] = math.FMA(c, float64(values[l]), dst[lo+l])
				}
			}
		}
		b.clear(t.x, lo, hi)
	})
}

// A block is consecutive rows side by side: element j of row l is
// value[width*j+l]; with slots, element slot[j], and slot 0 is zeros.
type block[T float32 | float64] struct {
	width int
	value []T
	slot  []uint32
}

// fill makes the block of the rows from lo to hi.
func (b *block[T]) fill(x matrix.Matrix, lo, hi int) {
	_, cols := x.Dims()
	if b.slot != nil {
		cols = 1
		for i := lo; i < hi; i++ {
			row := x.Row(i)
			for k := range row.Value {
				if j := row.Column(k); b.slot[j] == 0 {
					b.slot[j] = uint32(cols)
					cols++
				}
			}
		}
	}
	if size := cols * b.width; size > cap(b.value) {
		b.value = make([]T, size)
	} else {
		b.value = b.value[:size]
		clear(b.value)
	}
	for i := lo; i < hi; i++ {
		b.put(i-lo, x.Row(i))
	}
}

// put writes row number l.
func (b *block[T]) put(l int, row matrix.Vector) {
	for k, v := range row.Value {
		j := row.Column(k)
		if b.slot != nil {
			j = int(b.slot[j])
		}
		b.value[b.width*j+l] = T(v)
	}
}

// clear makes the slots ready for another block.
func (b *block[T]) clear(x matrix.Matrix, lo, hi int) {
	if b.slot == nil {
		return
	}
	for i := lo; i < hi; i++ {
		row := x.Row(i)
		for k := range row.Value {
			b.slot[row.Column(k)] = 0
		}
	}
}

// pack returns copies of rows, without their zeros.
func pack(x matrix.Matrix, rows []int) *matrix.CSR {
	_, cols := x.Dims()
	p := &matrix.CSR{Cols: cols, Start: make([]int64, 1, len(rows)+1)}
	for _, i := range rows {
		row := x.Row(i)
		for k, v := range row.Value {
			if v != 0 {
				p.Index, p.Value = append(p.Index, uint32(row.Column(k))), append(p.Value, v)
			}
		}
		p.Start = append(p.Start, int64(len(p.Value)))
	}
	return p
}
