package gram

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

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

// Whole returns a Gram and its whole matrix, n x n in double precision, for callers that need it all.
func Whole(k kernel.Kernel, x matrix.Matrix, threads int) (*Gram, []float64, error) {
	g, err := NewGram(k, x, Options{Threads: threads, Double: true, Cache: 1 << 26})
	if err != nil {
		return nil, nil, err
	}
	n := g.Len()
	all, values := make([]int, n), make([]float64, n*n)
	for i := range all {
		all[i] = i
	}
	g.Square(values, all)
	return g, values, nil
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
	if t.stop.reached() {
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
	defer t.putWork(w)
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
