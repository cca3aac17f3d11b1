package quadratic

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Factor is the Cholesky factor of a matrix that grows and shrinks by a row and column at a
// time: row k has k+1 numbers. A change costs the square of the size.
type Factor struct{ rows [][]float64 }

// Len returns the number of rows.
func (f *Factor) Len() int { return len(f.rows) }

// At returns element i, j of the factor, j <= i.
func (f *Factor) At(i, j int) float64 { return f.rows[i][j] }

// Forward solves L z = b.
func (f *Factor) Forward(b []float64) []float64 {
	z := slices.Clone(b)
	for k, row := range f.rows {
		z[k] = (z[k] - vec.Dot64(row[:k], z[:k])) / row[k]
	}
	return z
}

// Backward solves L^T x = z.
func (f *Factor) Backward(z []float64) []float64 {
	x := slices.Clone(z)
	for k, row := range slices.Backward(f.rows) {
		x[k] /= row[k]
		vec.Axpy64(x[:k], -x[k], row[:k])
	}
	return x
}

// Solve returns the solution of L L^T x = b.
func (f *Factor) Solve(b []float64) []float64 { return f.Backward(f.Forward(b)) }

// Add appends a row of the matrix, whose elements beside the diagonal Forward made into l; false
// and no change where nothing is left of the diagonal.
func (f *Factor) Add(l []float64, own float64) bool {
	left := own - vec.SquaredNorm64(l)
	if !(left > 1e-10*own) {
		return false
	}
	f.rows = append(f.rows, append(l, math.Sqrt(left)))
	return true
}

// Remove takes out row and column at of the matrix: the rows below have a number too many, which
// rotations of neighbouring columns take away.
func (f *Factor) Remove(at int) {
	f.rows = slices.Delete(f.rows, at, at+1)
	for k := at; k < len(f.rows); k++ {
		a, b := f.rows[k][k], f.rows[k][k+1]
		h := math.Sqrt(float64(a*a) + float64(b*b))
		c, s := a/h, b/h
		for _, row := range f.rows[k:] {
			x, y := row[k], row[k+1]
			row[k], row[k+1] = float64(c*x)+float64(s*y), float64(c*y)-float64(s*x)
		}
		f.rows[k] = f.rows[k][:k+1]
	}
}
