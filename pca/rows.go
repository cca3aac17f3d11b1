package pca

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
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
}

// Dims returns the number of rows and features.
func (r Rows) Dims() (rows, cols int) { return r.X.Dims() }

// Row sets dst, d numbers, to row i.
func (r Rows) Row(dst []float64, i int) {
	x := r.X.Row(i)
	if x.Index == nil {
		for j, v := range x.Value {
			dst[j] = float64(v)
		}
	} else {
		clear(dst)
		for k, j := range x.Index {
			dst[j] = float64(x.Value[k])
		}
	}
	if r.Offset != nil {
		vec.Axpy64(dst, -1, r.Offset)
	}
	for j, f := range r.Factor {
		dst[j] *= f
	}
}

// Part returns rows lo to hi, without copying.
func (r Rows) Part(lo, hi int) Rows {
	r.X = matrix.Part(r.X, lo, hi)
	return r
}

// sizes returns the means of |x|^2 and |x|^4; not ok if either is no number.
func (r Rows) sizes() (squared, fourth float64, ok bool) {
	n, d := r.Dims()
	row := make([]float64, d)
	for i := range n {
		r.Row(row, i)
		s := vec.SquaredNorm64(row)
		squared += s
		fourth += float64(s * s)
	}
	squared, fourth = squared/float64(n), fourth/float64(n)
	return squared, fourth, fourth <= math.MaxFloat64
}

// columnMeans returns the mean of every column.
func columnMeans(x matrix.Matrix) []float64 {
	n, d := x.Dims()
	sum := make([]float64, d)
	for i := range n {
		x.Row(i).AddTo(sum, 1)
	}
	scale(sum, 1/float64(n))
	return sum
}
