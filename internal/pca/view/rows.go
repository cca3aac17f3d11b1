// Package view has rows as the methods of principal components see them: centred and scaled in
// flight, feature j of row i being
//
//	(X[i][j] - Offset[j]) * Factor[j],
//
// so that sparse data stay sparse, and nothing is copied. See [Rows].
//
// Here is all that reads many rows at once: products with them ([Rows.Times],
// [Rows.TransposedTimes], [Rows.Power], [LaidOut]); the second moment Sigma = (1/n) sum_i x_i x_i^T
// as products ([MomentOf]), formed in double precision ([SecondMoment], [InnerProducts]), or in
// single with a bound on what that is off by ([Rows.Single]); and one row for the methods that
// learn row by row ([Point]). What is done with these is the business of methods, and of
// the certificate.
//
// A new way to store or multiply rows is a file with the interface stripes (product.go), and
// a case in newProduct; TestProducts holds it against plain sums.
package view

import (
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Rows are rows as the methods see them: feature j of row i is
//
//	(X[i][j] - Offset[j]) * Factor[j].
//
// They are never formed all at once, so X may be sparse or larger than memory.
type Rows struct {
	X      matrix.Matrix
	Offset []float64 // d, as the mean; nil: nothing is subtracted
	Factor []float64 // d; nil: nothing is multiplied
	Work   *Work     // counts what is read; nil: nothing does

	// Missing are the features of each row, increasing, whose numbers are missing, where those of X mean
	// nothing; nil: none are. Most methods take no notice of it.
	Missing [][]uint32

	centred bool          // Offset is the mean of exactly these rows
	shared  *sharedMoment // nil: nothing is shared
}

// Dims returns the number of rows and features.
func (r Rows) Dims() (rows, cols int) { return r.X.Dims() }

// Row sets dst, d numbers, to row i.
func (r Rows) Row(dst []float64, i int) {
	clear(dst)
	matrix.AddRows(dst, r.X, i, []float64{1})
	if r.Offset != nil {
		vec.Axpy64(dst, -1, r.Offset)
	}
	r.multiply(dst)
}

// Each calls do with every row, in memory for d numbers.
func (r Rows) Each(row []float64, do func(row []float64)) {
	n, _ := r.Dims()
	for i := range n {
		r.Row(row, i)
		do(row)
	}
}

// Part returns rows lo to hi, without copying.
func (r Rows) Part(lo, hi int) Rows {
	r.X, r.centred = matrix.Part(r.X, lo, hi), false
	if r.Missing != nil {
		r.Missing = r.Missing[lo:hi]
	}
	return r
}

// Subset returns some of the rows, in that order.
func (r Rows) Subset(which []int) Rows {
	r.X, r.centred = matrix.Subset(r.X, which), false
	if all := r.Missing; all != nil {
		r.Missing = make([][]uint32, len(which))
		for at, i := range which {
			r.Missing[at] = all[i]
		}
	}
	return r
}

// Work is how much of the rows a method has read.
type Work struct{ rows, more atomic.Int64 }

// Passes returns how often all of n rows were read.
func (w *Work) Passes(n int) float64 { return float64(w.rows.Load()) / float64(max(n, 1)) }

// Numbers returns how many stored numbers were touched, if all of n rows have so many.
func (w *Work) Numbers(n int, stored int64) float64 {
	return w.Passes(n)*float64(stored) + float64(w.more.Load())
}

// CountReads counts rows that were read, and numbers that were touched once more.
func (r Rows) CountReads(rows int, more int64) {
	if r.Work != nil {
		r.Work.rows.Add(int64(rows))
		r.Work.more.Add(more)
	}
}

// multiply applies Factor to vectors of d numbers each.
func (r Rows) multiply(q []float64) {
	for d := len(r.Factor); d > 0 && len(q) > 0; q = q[d:] {
		for j, f := range r.Factor {
			q[j] *= f
		}
	}
}
