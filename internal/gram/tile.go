package gram

import (
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/tiles"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Many values of an inner kernel are computed in tiles, of a block of rows asked
// for and some consecutive rows of a set. Those of the block are written side by
// side as dense rows; then every nonzero value of a row of the set makes one
// multiply-add for a whole vector of inner products. A tile is transposed, and
// the kernel turns it into its values, while it is in a near cache.
//
// The other way round, blocks of the set and rows asked for that pass by, needs
// no transposing; but to write blocks of the set takes several times as long as
// to use them for less than some hundred rows. See standing.
//
// Rows that are stored dense take part with their nonzero values: on digits (19 %
// nonzero) that is twice as fast as a dense product.

// An arithmetic is tiles in one precision.
type arithmetic[T float32 | float64] struct {
	wide, narrow int // rows in a block: many, or few
	tile         func(dst []T, at []int, block []T, width int, slot []uint32, start []int64, index []uint32, value []float32)
	of           func(k kernel.Inner, dst []T, xx T, yy []T)
	transpose    func(dst, src blas.Block[T])
	add          func(dst []float64, rows [][]T, first int, c []float64)
}

var (
	inSingle = arithmetic[float32]{tiles.Width32, tiles.NarrowWidth32, tiles.Sparse32, kernel.Inner.Of32, blas.Transpose32, vec.AddRows32}
	inDouble = arithmetic[float64]{tiles.Width64, tiles.NarrowWidth64, tiles.Sparse64, kernel.Inner.Of, blas.Transpose64, vec.AddRows64}
)

// A set is rows with their squared norms, and what [owners] says of each.
type set[T float32 | float64] struct {
	matrix.Matrix
	norm []T
	own  []float64
}

func newSet[T float32 | float64](k kernel.Kernel, x matrix.Matrix, norm []float64, threads int) set[T] {
	s := set[T]{x, make([]T, len(norm)), ownOf(k, x, threads)}
	for i, xx := range norm {
		s.norm[i] = T(xx)
	}
	return s
}

// sparse returns x as a sparse matrix without zeros, unless it is dense and less
// than half zeros: then that would take more memory than x does.
func sparse(x matrix.Matrix) matrix.Matrix {
	if _, ok := x.(*matrix.CSR); ok {
		return x
	}
	rows, cols := x.Dims()
	nonzeros := 0
	for i := range rows {
		for _, v := range x.Row(i).Value {
			if v != 0 {
				nonzeros++
			}
		}
	}
	if d, ok := x.(*matrix.Dense); ok && 2*nonzeros > len(d.Value) {
		return x
	}
	s := &matrix.CSR{Cols: cols, Start: make([]int64, 1, rows+1), Index: make([]uint32, 0, nonzeros), Value: make([]float32, 0, nonzeros)}
	for i := range rows {
		appendNonzeros(s, x.Row(i))
	}
	return s
}

func appendNonzeros(m *matrix.CSR, row matrix.Vector) {
	for k, v := range row.Value {
		if v != 0 {
			m.Index, m.Value = append(m.Index, uint32(row.Column(k))), append(m.Value, v)
		}
	}
	m.Start = append(m.Start, int64(len(m.Value)))
}

// A tiler computes values of a kernel. Its methods may be called by several
// goroutines at once.
type tiler[T float32 | float64] struct {
	arithmetic[T]
	k     kernel.Kernel
	inner kernel.Inner // k, or nil
	heed  *heed        // nil: none

	work, groups sync.Pool
}

func newTiler[T float32 | float64](a arithmetic[T], k kernel.Kernel) *tiler[T] {
	t := &tiler[T]{arithmetic: a, k: k}
	t.inner, _ = k.(kernel.Inner)
	if d, ok := any(t).(*tiler[float64]); ok {
		if o, ok := k.(kernel.Overlap); ok {
			d.inner, d.tile = overlapping{o}, o.Tile
		}
	}
	t.work.New = func() any { return newWork[T](a.wide) }
	t.groups.New = func() any { return new(group[T]) }
	return t
}

// pick returns rows of a set.
func (s set[T]) pick(rows []int) set[T] {
	norm, own := make([]T, len(rows)), []float64(nil)
	for k, i := range rows {
		norm[k] = s.norm[i]
		own = append(own, s.ownOf(i)...)
	}
	return set[T]{matrix.Subset(s.Matrix, rows), norm, own}
}

// ownOf returns the values of row i with itself that the kernel needs.
func (s set[T]) ownOf(i int) []float64 {
	each := len(s.own) / max(1, len(s.norm))
	return s.own[i*each : (i+1)*each]
}

// passing is how many rows of a set make a tile with a block, and passingSingly
// how many where values are computed one after another.
const passing, passingSingly = 256, 16

// tiles calls use with values[r][j-lo] = k(x_i,y_j) for all rows i = k+r of x, in
// order, and all rows j of y from lo to hi; these ranges cover y. Several
// goroutines do so for different ranges. Once what it heeds has ended the rest is left undone.
func (t *tiler[T]) tiles(x, y set[T], threads int, use func(values [][]T, k, lo, hi int)) {
	size := passing
	if t.inner == nil {
		size = passingSingly
	}
	g := t.groups.Get().(*group[T])
	defer t.groups.Put(g)
	for g.hi = 0; g.hi < len(x.norm) && !t.heed.ended(); {
		t.next(g, x)
		parallel.Blocks(len(y.norm), size, threads, func(_, lo, hi int) {
			w := t.work.Get().(*work[T])
			defer t.work.Put(w)
			w.pass(t, y, lo, hi)
			for i := range g.blocks {
				if t.heed.ended() {
					return
				}
				b := &g.blocks[i]
				use(t.values(w, b, x, y), b.lo, lo, hi)
			}
		})
	}
}

// values returns k(x_i,y_j) for the rows i of a block and the rows j of y that
// pass by.
func (t *tiler[T]) values(w *work[T], b *block[T], x, y set[T]) [][]T {
	values, n := w.values[:b.hi-b.lo], w.hi-w.lo
	if t.inner == nil {
		for r, v := range values {
			row, own := x.Row(b.lo+r), x.ownOf(b.lo+r)
			for j := range n {
				v[j] = T(kernel.EvalWith(t.k, row, y.Row(w.lo+j), own, y.ownOf(w.lo+j)))
			}
		}
		return values
	}
	at := w.at[:n]
	for i := range at {
		at[i] = i * b.width
	}
	t.tile(w.across, at, b.value, b.width, b.slot, w.start, w.rows.Index, w.rows.Value)
	t.transpose(blas.Block[T]{Value: w.tile, Rows: b.width, Cols: n, Stride: passing},
		blas.Block[T]{Value: w.across, Rows: n, Cols: b.width, Stride: b.width})
	for r, v := range values {
		t.of(t.inner, v[:n], x.norm[b.lo+r], y.norm[w.lo:w.hi])
	}
	return values
}

// overlapping is an overlap as tiles take it.
type overlapping struct{ kernel.Overlap }

// Of32 is never asked for.
func (overlapping) Of32([]float32, float32, []float32) {
	panic("kernel: an overlap in single precision")
}

// normsOf returns them for all rows.
func normsOf(k kernel.Kernel, x matrix.Matrix) []float64 {
	n, _ := x.Dims()
	norms := make([]float64, n)
	for i := range norms {
		norms[i] = kernel.Norm(k, x.Row(i))
	}
	return norms
}

// ownOf returns these values of all rows, one row after another.
func ownOf(k kernel.Kernel, x matrix.Matrix, threads int) (own []float64) {
	n, _ := x.Dims()
	each := kernel.SelfValues(k)
	own = make([]float64, n*each)
	if each > 0 {
		parallel.Blocks(n, passingSingly, threads, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				kernel.AppendSelf(own[:i*each], k, x.Row(i)) // there is room
			}
		})
	}
	return own
}
