package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
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
	Work   *Work     // counts what is read; nil: nothing does

	centred bool // Offset is the mean of exactly these rows
}

// Dims returns the number of rows and features.
func (r Rows) Dims() (rows, cols int) { return r.X.Dims() }

// Row sets dst, d numbers, to row i.
func (r Rows) Row(dst []float64, i int) {
	x := r.X.Row(i)
	clear(dst)
	if x.Index == nil {
		vec.Axpy(dst, 1, x.Value)
	} else {
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
	r.X, r.centred = matrix.Part(r.X, lo, hi), false
	return r
}

// Sizes returns the means of |x|^2 and |x|^4, on at most threads cores.
func (r Rows) Sizes(threads int) (squared, fourth float64) {
	n, _ := r.Dims()
	base := r.offsetSquare()
	const block = 1024
	sums := make([][2]float64, (n+block-1)/block)
	parallel.Blocks(n, block, threads, func(b, lo, hi int) {
		for i := lo; i < hi; i++ {
			s := r.squaredNorm(i, base)
			sums[b][0] += s
			sums[b][1] += float64(s * s)
		}
	})
	for _, s := range sums {
		squared += s[0]
		fourth += s[1]
	}
	return squared / float64(n), fourth / float64(n)
}

// squaredNorm returns |x|^2 of row i, where base is that of a row of zeros, in time
// that grows with its nonzeros.
func (r Rows) squaredNorm(i int, base float64) float64 {
	x := r.X.Row(i)
	var stored, zero float64 // of the places that are stored: with their values, and as if these were 0
	for k, v := range x.Value {
		j := x.Column(k)
		value, offset := float64(v), 0.0
		if r.Offset != nil {
			offset = r.Offset[j]
		}
		value -= offset
		if r.Factor != nil {
			value *= r.Factor[j]
			offset *= r.Factor[j]
		}
		stored += float64(value * value)
		zero += float64(offset * offset)
	}
	if x.Index == nil {
		return stored
	}
	return max(base-zero, 0) + stored
}

// columnMeans returns the mean of every column.
func columnMeans(x matrix.Matrix, threads int) []float64 {
	n, _ := x.Dims()
	sums := columnSums(x, threads)
	scale(sums, 1/float64(n))
	return sums
}
