package gram

import (
	"slices"
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
// no transposing, but to write blocks of the set takes longer than to use them for
// few rows, unless there is a blockedCopy.
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
	work         *sync.Pool // what goroutines compute in, of one tiler after another
}

var (
	inSingle = arithmetic[float32]{tiles.Width32, tiles.NarrowWidth32, tiles.Sparse32, kernel.Inner.Of32, blas.Transpose32, vec.AddRows32, worksOf[float32](tiles.Width32)}
	inDouble = arithmetic[float64]{tiles.Width64, tiles.NarrowWidth64, tiles.Sparse64, kernel.Inner.Of, blas.Transpose64, vec.AddRows64, worksOf[float64](tiles.Width64)}
)

// A tiler computes values of a kernel. Its methods may be called by several
// goroutines at once.
type tiler[T float32 | float64] struct {
	arithmetic[T]
	k     kernel.Kernel
	inner kernel.Inner  // k, or nil
	stop  *interruption // nil: none

	groups sync.Pool
}

func newTiler[T float32 | float64](a arithmetic[T], k kernel.Kernel) *tiler[T] {
	t := &tiler[T]{arithmetic: a, k: k}
	t.inner, _ = k.(kernel.Inner)
	t.groups.New = func() any { return new(group[T]) }
	if d, ok := any(t).(*tiler[float64]); ok {
		if o, ok := k.(kernel.Overlap); ok {
			d.inner, d.tile = overlapping{o}, o.Tile
		}
	}
	return t
}

// tiles calls use with values[r][j-lo] = k(x_i,y_j) for all rows i = k+r of x, in
// order, and all rows j of y from lo to hi; these ranges cover y. Several
// goroutines do so for different ranges. Once it is interrupted the rest is left undone.
func (t *tiler[T]) tiles(x, y set[T], threads int, use func(values [][]T, k, lo, hi int)) {
	if t.writesBlocks(x, y) {
		t.tilesInBlocks(x, y, nil, threads, use)
		return
	}
	size := passing
	if t.inner == nil {
		size = passingSingly
	}
	g := t.groups.Get().(*group[T])
	defer t.groups.Put(g)
	for g.hi = 0; g.hi < len(x.norm) && !t.stop.reached(); {
		t.next(g, x)
		parallel.Blocks(len(y.norm), size, threads, func(_, lo, hi int) {
			w := t.work.Get().(*work[T])
			defer t.putWork(w)
			w.pass(t, y, lo, hi)
			for i := range g.blocks {
				if t.stop.reached() {
					return
				}
				b := &g.blocks[i]
				use(t.values(w, b, x, y), b.lo, lo, hi)
			}
		})
	}
}

// writesBlocks reports whether y is written in blocks for the rows x: that takes about as long as to use a
// row as often as it has columns.
func (t *tiler[T]) writesBlocks(x, y set[T]) bool {
	_, cols := y.Dims()
	return t.inner != nil && cols <= mostColumns && len(x.norm) >= max(t.wide, cols)
}

// tilesInBlocks is tiles with y in blocks of dense columns, as fillBlocks writes them; nil: they are
// written here.
func (t *tiler[T]) tilesInBlocks(x, y set[T], blocks []T, threads int, use func(values [][]T, k, lo, hi int)) {
	g := t.groups.Get().(*group[T])
	defer t.groups.Put(g)
	asked, whole := x.Matrix.(*matrix.CSR)
	if !whole {
		asked = g.pack(x, 0, len(x.norm))
	}
	parallel.Blocks(len(y.norm), passing, threads, func(_, lo, hi int) {
		w := t.work.Get().(*work[T])
		defer t.putWork(w)
		t.against(w, asked, x.norm, y, blocks, lo, hi, use)
	})
}

// against is tilesInBlocks of rows lo to hi of y.
func (t *tiler[T]) against(w *work[T], asked *matrix.CSR, norm []T, y set[T], blocks []T, lo, hi int, use func(values [][]T, k, lo, hi int)) {
	_, cols := y.Dims()
	n, of := len(norm), w.blocksOf(t, y, blocks, lo, hi)
	for k := 0; k < n && !t.stop.reached(); k += t.wide {
		values := w.values[:min(t.wide, n-k)]
		at, start := w.at[:len(values)], asked.Start[k:k+len(values)+1]
		for first := 0; first < hi-lo; first += t.wide {
			for r := range at {
				at[r] = r*passing + first
			}
			t.tile(w.tile, at, of[first*cols:(first+t.wide)*cols], t.wide, nil, start, asked.Index, asked.Value)
		}
		for r, v := range values {
			t.of(t.inner, v[:hi-lo], norm[k+r], y.norm[lo:hi])
		}
		use(values, k, lo, hi)
	}
}

// blocksOf returns rows lo to hi of y in blocks, those that there are or new ones.
func (w *work[T]) blocksOf(t *tiler[T], y set[T], there []T, lo, hi int) []T {
	_, cols := y.Dims()
	size := (hi - lo + t.wide - 1) / t.wide * t.wide * cols
	if there != nil {
		return there[lo*cols:][:size]
	}
	w.blocks = slices.Grow(w.blocks[:0], size)[:size]
	clear(w.blocks)
	fillBlocks(w.blocks, y, t.wide, lo, hi)
	return w.blocks
}

// fillBlocks writes rows lo to hi of y: element j of row lo + b*width + l is dst[(b*cols+j)*width+l]. The
// rest of dst must be zeros.
func fillBlocks[T float32 | float64](dst []T, y set[T], width, lo, hi int) {
	_, cols := y.Dims()
	for i := lo; i < hi; i++ {
		b := block[T]{width: width, value: dst[(i-lo)/width*width*cols:]}
		b.put((i-lo)%width, y.Row(i))
	}
}

// values returns k(x_i,y_j) for the rows i of a block and the rows j of y that
// pass by.
func (t *tiler[T]) values(w *work[T], b *block[T], x, y set[T]) [][]T {
	values, n := w.values[:b.hi-b.lo], w.hi-w.lo
	if t.inner == nil {
		for r, v := range values {
			row, own := x.Row(b.lo+r), x.selfOf(b.lo+r)
			for j := range n {
				v[j] = T(kernel.EvalWith(t.k, row, y.Row(w.lo+j), own, y.selfOf(w.lo+j)))
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

// work is the memory of one goroutine, and the rows of a set that pass by.
type work[T float32 | float64] struct {
	across []T   // a tile: a row for each row that passes by
	at     []int // where these rows are
	tile   []T   // its transpose
	values [][]T // the rows of that

	lo, hi int // which rows pass by: those that start says of rows
	rows   *matrix.CSR
	start  []int64
	packed packed    // what rows is, if the set is not sparse
	wide   []float64 // dense rows in double precision
	blocks []T       // rows of a set in blocks
}

func worksOf[T float32 | float64](width int) *sync.Pool {
	return &sync.Pool{New: func() any { return newWork[T](width) }}
}

func newWork[T float32 | float64](width int) *work[T] {
	w := &work[T]{across: make([]T, passing*width), at: make([]int, passing), tile: make([]T, width*passing), values: make([][]T, width)}
	for r := range w.values {
		w.values[r] = w.tile[r*passing : (r+1)*passing]
	}
	return w
}

// putWork gives back memory, which must not keep rows alive.
func (t *tiler[T]) putWork(w *work[T]) {
	w.rows, w.start = nil, nil
	t.work.Put(w)
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
