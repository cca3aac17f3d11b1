package kernel

import (
	"sync"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// Many values of an inner kernel are computed in tiles, of a block of rows asked
// for and some consecutive rows of a set. Those of the block are written side by
// side as dense rows; then every nonzero value of a row of the set makes one
// multiply-add for a whole vector of inner products. A tile is transposed, and
// the kernel turns it into its values, while it is in a near cache.
//
// (To write blocks of the set, and let the rows asked for pass by, spares the
// transposing, but takes several times as long for less than some hundred rows.)
//
// Rows that are stored dense take part with their nonzero values: on digits (19 %
// nonzero) that is twice as fast as a dense product.

// An arithmetic is tiles in one precision.
type arithmetic[T float32 | float64] struct {
	wide, narrow int // rows in a block: many, or few
	tile         func(dst []T, at []int, block []T, width int, slot []uint32, start []int64, index []uint32, value []float32)
	of           func(k Inner, dst []T, xx T, yy []T)
	transpose    func(dst, src vec.Block[T])
	add          func(dst []float64, rows [][]T, first int, c []float64)
}

var (
	inSingle = arithmetic[float32]{vec.TileWidth32, vec.NarrowTileWidth32, vec.SparseTile32, Inner.Of32, vec.Transpose32, vec.AddRows32}
	inDouble = arithmetic[float64]{vec.TileWidth64, vec.NarrowTileWidth64, vec.SparseTile64, Inner.Of, vec.Transpose64, vec.AddRows64}
)

// A set is rows with their squared norms.
type set[T float32 | float64] struct {
	matrix.Matrix
	norm []T
}

func newSet[T float32 | float64](x matrix.Matrix, norm []float64) set[T] {
	s := set[T]{x, make([]T, len(norm))}
	for i, xx := range norm {
		s.norm[i] = T(xx)
	}
	return s
}

// A tiler computes values of a kernel. Its methods may be called by several
// goroutines at once.
type tiler[T float32 | float64] struct {
	arithmetic[T]
	k     Kernel
	inner Inner // k, or nil
	work  sync.Pool
}

func newTiler[T float32 | float64](a arithmetic[T], k Kernel) *tiler[T] {
	t := &tiler[T]{arithmetic: a, k: k}
	t.inner, _ = k.(Inner)
	t.work.New = func() any { return newWork[T](a.wide) }
	return t
}

// pick returns rows of a set.
func (s set[T]) pick(rows []int) set[T] {
	norm := make([]T, len(rows))
	for k, i := range rows {
		norm[k] = s.norm[i]
	}
	return set[T]{view{s.Matrix, rows}, norm}
}

// view is rows of a matrix.
type view struct {
	matrix.Matrix
	rows []int
}

func (v view) Dims() (rows, cols int) {
	_, cols = v.Matrix.Dims()
	return len(v.rows), cols
}

func (v view) Row(i int) matrix.Vector { return v.Matrix.Row(v.rows[i]) }

// passing is how many rows of a set make a tile with a block.
const passing = 128

// tiles calls use with values[r][j-lo] = k(x_i,y_j) for all rows i = k+r of x, in
// order, and all rows j of y from lo to hi; these ranges cover y. Several
// goroutines do so for different ranges.
func (t *tiler[T]) tiles(x, y set[T], threads int, use func(values [][]T, k, lo, hi int)) {
	n, _ := y.Dims()
	if t.inner == nil {
		t.evaluate(x, y, n, threads, use)
		return
	}
	var g group[T]
	for k := 0; k < len(x.norm); k = g.hi {
		g.fill(x, k, t.wide, t.narrow)
		matrix.Blocks(n, passing, threads, func(_, lo, hi int) {
			w := t.work.Get().(*work[T])
			defer t.work.Put(w)
			rows, start := w.stream(y.Matrix, lo, hi)
			for i := range g.blocks {
				t.block(w, &g.blocks[i], rows, start)
				b := &g.blocks[i]
				values := w.values[:b.hi-b.lo]
				for r := range values {
					t.of(t.inner, values[r][:hi-lo], x.norm[b.lo+r], y.norm[lo:hi])
				}
				use(values, b.lo, lo, hi)
			}
		})
	}
}

// block makes the inner products of a block with the rows that start says.
func (t *tiler[T]) block(w *work[T], b *block[T], rows *matrix.CSR, start []int64) {
	at := w.at[:len(start)-1]
	for i := range at {
		at[i] = i * b.width
	}
	t.tile(w.across, at, b.value, b.width, b.slot, start, rows.Index, rows.Value)
	t.transpose(vec.Block[T]{Value: w.tile, Rows: b.width, Cols: len(at), Stride: passing},
		vec.Block[T]{Value: w.across, Rows: len(at), Cols: b.width, Stride: b.width})
}

// evaluate is tiles for a kernel that is not inner, one value after another.
func (t *tiler[T]) evaluate(x, y set[T], n, threads int, use func(values [][]T, k, lo, hi int)) {
	matrix.Blocks(n, t.narrow, threads, func(_, lo, hi int) {
		w := t.work.Get().(*work[T])
		defer t.work.Put(w)
		for k := 0; k < len(x.norm); k += t.narrow {
			values := w.values[:min(t.narrow, len(x.norm)-k)]
			for r, v := range values {
				row := x.Row(k + r)
				for j := lo; j < hi; j++ {
					v[j-lo] = T(t.k.Eval(row, y.Row(j)))
				}
			}
			use(values, k, lo, hi)
		}
	})
}
