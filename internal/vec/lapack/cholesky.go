// Package lapack decomposes symmetric matrices: Cholesky's factor, the tridiagonal form and the
// eigensystem, each with the same bits on any number of threads.
package lapack

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
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
	// Stop, if set, is asked while a matrix is decomposed; once it is true, the rest is left
	// undone, and the factor is of no use.
	Stop func() bool

	size    int
	raised  bool
	l       []float64 // size*size, row-major
	columns []float64 // panel*panel, scratch
	below   []float64 // panel rows of as many numbers as there are rows below, scratch
	room    blas.Room
}

// panel is the number of columns that are eliminated together. It is part
// of the results' bits. 300 columns take less with 32 than with 48 or 64.
const panel = 32

// Decompose sets the factor to that of the matrix whose lower triangle is in l,
// size*size numbers, row-major, on at most threads goroutines (0: as many as
// there are cores). It keeps l and overwrites it: with L, and above the diagonal
// with anything.
//
// What is still to be eliminated is kept with the opposite sign, so that
// products are added to it.
func (f *Cholesky) Decompose(l []float64, size, threads int) {
	f.l, f.size, f.raised = l[:size*size], size, false
	least := make([]float64, size) // pivots below are rounding errors
	for j := range least {
		if f.stopped() {
			return
		}
		least[j] = float64(float64(size+8) * 0x1p-52 * l[j*size+j])
		scale(l[j*size:j*size+j+1], -1)
	}
	if len(f.below) < panel*size {
		f.columns, f.below = make([]float64, panel*panel), make([]float64, panel*size)
	}
	for from := 0; from < size && !f.stopped(); from += panel {
		to := min(from+panel, size)
		f.corner(from, to, least)
		if rest := size - to; rest > 0 {
			below := blas.Block[float64]{Value: f.below, Rows: to - from, Cols: rest, Stride: rest}
			f.finish(from, to, below, threads)
			square := blas.Block[float64]{Value: l[to*size+to:], Rows: rest, Cols: rest, Stride: size}
			blas.SyrkColsLower64(square, below, &f.room, threads)
		}
	}
}

// Raised reports whether a pivot was raised: the matrix is not proved to be positive definite.
func (f *Cholesky) Raised() bool { return f.raised }

func (f *Cholesky) stopped() bool { return f.Stop != nil && f.Stop() }

// corner factors the columns from to to of their own rows, and writes column
// from+k of the factor to columns[k*panel:], of which the first k numbers are anything. As
// columns they wait for each other once, as rows once an element.
func (f *Cholesky) corner(from, to int, least []float64) {
	n := to - from
	rows := blas.Block[float64]{Value: f.l[from*f.size+from:], Rows: n, Cols: n, Stride: f.size}
	turned := blas.Block[float64]{Value: f.columns, Rows: n, Cols: n, Stride: panel}
	blas.Transpose64(turned, rows)
	var columns [panel][]float64
	var factors [panel]float64
	for k := range n {
		columns[k] = f.columns[k*panel:][:n]
		for j := range k {
			factors[j] = columns[j][k]
		}
		column := columns[k][k:]
		vec.AddRows64(column, columns[:k], k, factors[:k])
		f.raised = f.raised || !(-column[0] >= least[from+k])
		column[0] = math.Sqrt(max(-column[0], least[from+k]))
		scale(column[1:], -1/column[0])
	}
	blas.Transpose64(rows, turned)
}

// scale multiplies finite x by c.
func scale(x []float64, c float64) { vec.ScaledAdd(x, c, 0, x) }

// strip is the number of rows that are finished together.
const strip = 64

// finish finishes columns from to to of the rows below them, and writes them to below, too,
// as rows: as vectors of many rows they do not wait for each other.
func (f *Cholesky) finish(from, to int, below blas.Block[float64], threads int) {
	var columns [panel][]float64
	for k := range to - from {
		columns[k] = below.Value[k*below.Stride:][:below.Cols]
	}
	parallel.Each((below.Cols+strip-1)/strip, threads, func(_, i int) {
		lo, hi := i*strip, min(i*strip+strip, below.Cols)
		rows := blas.Block[float64]{Value: f.l[(to+lo)*f.size+from:], Rows: hi - lo, Cols: to - from, Stride: f.size}
		turned := blas.Block[float64]{Value: below.Value[lo:], Rows: to - from, Cols: hi - lo, Stride: below.Stride}
		blas.Transpose64(turned, rows)
		var factors [panel]float64
		for k := range to - from {
			for j := range k {
				factors[j] = f.columns[j*panel+k]
			}
			column := columns[k][lo:hi]
			vec.AddRows64(column, columns[:k], lo, factors[:k])
			scale(column, -1/f.columns[k*panel+k])
		}
		blas.Transpose64(rows, turned)
	})
}

// Solve sets x to A^-1 b, with as many numbers of each as A has rows. x may be b.
func (f *Cholesky) Solve(x, b []float64) {
	n := f.size
	for i := range n {
		row := f.l[i*n : i*n+i+1]
		x[i] = (b[i] - vec.Dot64(x[:i], row[:i])) / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := f.l[i*n : i*n+i+1]
		x[i] /= row[i]
		vec.Axpy64(x[:i], -x[i], row[:i])
	}
}
