package kernel

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/vec"
)

// factor is the Cholesky factor of a matrix that grows and shrinks by a row and column at a
// time: row k has k+1 numbers. A change costs the square of the size.
type factor struct{ rows [][]float64 }

// forward solves L z = b.
func (f *factor) forward(b []float64) []float64 {
	z := slices.Clone(b)
	for k, row := range f.rows {
		z[k] = (z[k] - vec.Dot64(row[:k], z[:k])) / row[k]
	}
	return z
}

// backward solves L^T x = z.
func (f *factor) backward(z []float64) []float64 {
	x := slices.Clone(z)
	for k, row := range slices.Backward(f.rows) {
		x[k] /= row[k]
		vec.Axpy64(x[:k], -x[k], row[:k])
	}
	return x
}

// solve returns the solution of L L^T x = b.
func (f *factor) solve(b []float64) []float64 { return f.backward(f.forward(b)) }

// add appends a row of the matrix, whose elements beside the diagonal forward made into l; false
// and no change where nothing is left of the diagonal.
func (f *factor) add(l []float64, own float64) bool {
	left := own - vec.SquaredNorm64(l)
	if !(left > 1e-10*own) {
		return false
	}
	f.rows = append(f.rows, append(l, math.Sqrt(left)))
	return true
}

// remove takes out row and column at of the matrix: the rows below have a number too many, which
// rotations of neighbouring columns take away.
func (f *factor) remove(at int) {
	f.rows = slices.Delete(f.rows, at, at+1)
	for k := at; k < len(f.rows); k++ {
		a, b := f.rows[k][k], f.rows[k][k+1]
		h := math.Hypot(a, b)
		c, s := a/h, b/h
		for _, row := range f.rows[k:] {
			x, y := row[k], row[k+1]
			row[k], row[k+1] = float64(c*x)+float64(s*y), float64(c*y)-float64(s*x)
		}
		f.rows[k] = f.rows[k][:k+1]
	}
}
