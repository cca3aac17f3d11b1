package algebra

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// SteadySteps is how many rows of data orthonormal directions may drift for: two passes of
// Gram and Schmidt leave about 1e-15 a row.
const SteadySteps = 1000

// Orthonormalise makes the m rows of q, d numbers each, orthonormal by Gram and
// Schmidt, each row taken off twice ("twice is enough", Kahan and Parlett), and
// returns R, m x m, with which the old rows are R times the new ones: lower
// triangular. A row that depends on those before it is replaced by one that does
// not, with a zero on R's diagonal.
func Orthonormalise(q []float64, m, d int) []float64 {
	r := make([]float64, m*m)
	c := make([]float64, m)
	for i := range m {
		row := q[i*d : (i+1)*d]
		before := math.Sqrt(vec.SquaredNorm64(row))
		for range 2 {
			TakeOff(row, q[:i*d], c[:i])
			for j, x := range c[:i] {
				r[i*m+j] += x
			}
		}
		after := math.Sqrt(vec.SquaredNorm64(row))
		if !(after > Negligible*before) {
			Replace(row, q[:i*d], i)
			continue
		}
		r[i*m+i] = after
		Scale(row, 1/after)
	}
	return r
}

// Negligible is the part of a row outside a subspace below which it is rounding.
const Negligible = 1e-12

// TakeOff subtracts from x its projection on the orthonormal rows of q, of which
// c receives the coefficients.
func TakeOff(x, q, c []float64) {
	d := len(x)
	for j := range c {
		c[j] = vec.Dot64(q[j*d:(j+1)*d], x)
	}
	for j, cj := range c {
		vec.Axpy64(x, -cj, q[j*d:(j+1)*d])
	}
}

// Replace sets row to a unit vector that is orthogonal to the m < d orthonormal
// rows of q: what is left of the coordinate axis that they contain least of.
func Replace(row, q []float64, m int) {
	d := len(row)
	covered := make([]float64, d)
	for j := range m {
		for l, x := range q[j*d : (j+1)*d] {
			covered[l] += float64(x * x)
		}
	}
	least := 0
	for l, x := range covered {
		if x < covered[least] {
			least = l
		}
	}
	clear(row)
	row[least] = 1
	c := make([]float64, m)
	TakeOff(row, q[:m*d], c)
	TakeOff(row, q[:m*d], c)
	Scale(row, 1/math.Sqrt(vec.SquaredNorm64(row)))
}
