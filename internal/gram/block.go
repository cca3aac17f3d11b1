package gram

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

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

// between returns the rows lo to hi of a set.
func (s set[T]) between(lo, hi int) set[T] {
	each := len(s.own) / max(1, len(s.norm))
	part := set[T]{matrix.Part(s.Matrix, lo, hi), s.norm[lo:hi], s.own[lo*each : hi*each]}
	if x, ok := s.Matrix.(*matrix.CSR); ok { // which tiles take as it is
		part.Matrix = &matrix.CSR{Cols: x.Cols, Start: x.Start[lo : hi+1], Index: x.Index, Value: x.Value}
	}
	return part
}

// inFull returns the set with dense rows, if a kernel of products has more than half of their values.
func inFull(t *tiler[float64], s set[float64]) set[float64] {
	x, ok := s.Matrix.(*matrix.CSR)
	n, cols := s.Dims()
	if !ok || !exchangeable(t) || 2*(x.Start[n]-x.Start[0]) <= int64(n)*int64(cols) {
		return s
	}
	d := &matrix.Dense{Rows: n, Cols: cols, Value: make([]float32, n*cols)}
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			d.Value[i*cols+row.Column(k)] = v
		}
	}
	s.Matrix = d
	return s
}

// side is how many rows and columns of a whole matrix are computed at a time.
const side = 512

// exchangeable reports whether values have the same bits with their rows exchanged.
func exchangeable[T float32 | float64](t *tiler[T]) bool { _, ok := t.k.(kernel.Inner); return ok }

// fillSquare sets dst to the matrix of a set with itself, and returns how many values it computed:
// those above the diagonal are copied from below it where they have the same bits.
func fillSquare[T float32 | float64](t *tiler[T], dst blas.Block[T], x set[T], threads int) (computed int64) {
	if d, double := any(x).(set[float64]); double {
		x = any(inFull(any(t).(*tiler[float64]), d)).(set[T])
	}
	return eachPiece(dst, side, exchangeable(t), threads, t.transpose, func(at blas.Block[T], i, j int) {
		fillRectangle(t, at, x.between(i, i+at.Rows), x.between(j, j+at.Cols))
	})
}

// eachPiece has fill write the pieces of a square dst, of so many rows and columns, and returns how many
// elements that were: where it is symmetric those above the diagonal are copied from below it.
func eachPiece[T float32 | float64](dst blas.Block[T], side int, symmetric bool, threads int, transpose func(dst, src blas.Block[T]), fill func(at blas.Block[T], i, j int)) (filled int64) {
	var tasks [][2]int
	for i := 0; i < dst.Rows; i += side {
		for j := 0; j < dst.Rows && !(symmetric && j > i); j += side {
			tasks = append(tasks, [2]int{i, j})
			filled += int64(min(side, dst.Rows-i)) * int64(min(side, dst.Rows-j))
		}
	}
	parallel.Each(len(tasks), threads, func(_, k int) {
		i, j := tasks[k][0], tasks[k][1]
		rows, cols := min(side, dst.Rows-i), min(side, dst.Rows-j)
		at := piece(dst, i, j, rows, cols)
		fill(at, i, j)
		if symmetric && i != j {
			transpose(piece(dst, j, i, cols, rows), at)
		}
	})
	return filled
}

// piece returns a part of a block, from row i and column j on.
func piece[T float32 | float64](b blas.Block[T], i, j, rows, cols int) blas.Block[T] {
	return blas.Block[T]{Value: b.Value[i*b.Stride+j:], Rows: rows, Cols: cols, Stride: b.Stride}
}

// fillRectangle sets dst to the values of the rows of x with those of y, on one core.
func fillRectangle[T float32 | float64](t *tiler[T], dst blas.Block[T], x, y set[T]) {
	if t.heed.ended() {
		return
	}
	a, dense := x.Matrix.(*matrix.Dense)
	b, both := y.Matrix.(*matrix.Dense)
	if d, double := any(dst).(blas.Block[float64]); double && dense && both && exchangeable(t) {
		multiply(any(t).(*tiler[float64]), d, a, b, any(x.norm).([]float64), any(y.norm).([]float64))
		return
	}
	t.tiles(x, y, 1, func(values [][]T, k, lo, hi int) {
		for r, v := range values {
			copy(dst.Value[(k+r)*dst.Stride+lo:][:hi-lo], v)
		}
	})
}

// multiply is fillRectangle of dense rows by a product of matrices, whose elements are the same chains as
// those of tiles.
func multiply(t *tiler[float64], dst blas.Block[float64], a, b *matrix.Dense, xx, yy []float64) {
	w := t.work.Get().(*work[float64])
	defer t.work.Put(w)
	w.wide = w.wide[:0]
	for _, v := range b.Value {
		w.wide = append(w.wide, float64(v))
	}
	for r := range dst.Rows {
		clear(dst.Value[r*dst.Stride:][:dst.Cols])
	}
	blas.GemmMixed(dst, blas.Block[float32]{Value: a.Value, Rows: a.Rows, Cols: a.Cols, Stride: a.Cols},
		blas.Block[float64]{Value: w.wide, Rows: b.Rows, Cols: b.Cols, Stride: b.Cols}, 1)
	for r := range dst.Rows {
		t.of(t.inner, dst.Value[r*dst.Stride:][:dst.Cols], xx[r], yy)
	}
}
