package vec

import (
	"math"

	"github.com/fenchel-ml/fenchel/parallel"
)

// Cholesky is the factor L of a symmetric positive definite matrix A = L L^T
// (blocked, right-looking: LAPACK's potrf).
//
// Each element is a chain of fused products in the order of columns, whatever
// the threads, so the bits are the same everywhere. gonum's Cholesky was
// rejected for that: its assembly and its Go code add in different orders.
//
// A pivot that rounding has eaten (A is positive definite, but perhaps by less
// than its rounding errors) is raised to the size of those errors.
type Cholesky struct {
	size    int
	l       []float64 // size*size, row-major
	columns []float64 // panel*panel, scratch
}

// panel is the number of columns that are eliminated together. It does not
// enter the results.
const panel = 48

// Decompose sets the factor to that of the matrix whose lower triangle is in l,
// size*size numbers, row-major, on at most threads goroutines (0: as many as
// there are cores). It keeps l and overwrites it: with L, and above the diagonal
// with anything.
//
// What is still to be eliminated is kept with the opposite sign, so that
// products are added to it.
func (f *Cholesky) Decompose(l []float64, size, threads int) {
	f.l, f.size = l[:size*size], size
	least := make([]float64, size) // pivots below are rounding errors
	for j := range least {
		least[j] = float64(float64(size+8) * 0x1p-52 * l[j*size+j])
		row := l[j*size : j*size+j+1]
		for k, x := range row {
			row[k] = -x
		}
	}
	if f.columns == nil {
		f.columns = make([]float64, panel*panel)
	}
	columns := f.columns
	for from := 0; from < size; from += panel {
		to := min(from+panel, size)
		f.corner(columns, from, to, least)
		rest := size - to
		parallel.Each((rest+15)/16, threads, func(_, i int) {
			f.eliminate(columns, from, to, to+16*i, min(to+16*i+16, size))
		})
		below := Block[float64]{Value: l[min(to*size+from, len(l)):], Rows: rest, Cols: to - from, Stride: size}
		square := Block[float64]{Value: l[min(to*size+to, len(l)):], Rows: rest, Cols: rest, Stride: size}
		SyrkRows64(square, below, threads)
	}
}

// corner factors the columns from to to of their own rows, and writes column
// from+k of the factor to columns[k*panel:].
func (f *Cholesky) corner(columns []float64, from, to int, least []float64) {
	for i := from; i < to; i++ {
		f.eliminate(columns, from, i, i, i+1)
		row := f.l[i*f.size+from : i*f.size+i+1]
		x := -row[i-from]
		for _, y := range row[:i-from] {
			x -= float64(y * y)
		}
		row[i-from] = math.Sqrt(max(x, least[i]))
		for k, y := range row {
			columns[k*panel+i-from] = y
		}
	}
}

// eliminate finishes columns from to to of the rows lo to hi: of each row, what
// column k comes to is taken off those after it.
func (f *Cholesky) eliminate(columns []float64, from, to, lo, hi int) {
	for i := lo; i < hi; i++ {
		row := f.l[i*f.size+from : i*f.size+to]
		for k, x := range row {
			column := columns[k*panel:][:len(row)]
			row[k] = -x / column[k]
			Axpy64(row[k+1:], row[k], column[k+1:])
		}
	}
}

// Solve sets x to A^-1 b, with as many numbers of each as A has rows. x may be b.
func (f *Cholesky) Solve(x, b []float64) {
	n := f.size
	for i := range n {
		row := f.l[i*n : i*n+i+1]
		x[i] = (b[i] - Dot64(x[:i], row[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := f.l[i*n : i*n+i+1]
		x[i] /= row[i]
		Axpy64(x[:i], -x[i], row[:i])
	}
}
