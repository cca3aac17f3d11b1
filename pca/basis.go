package pca

import (
	"math"

	"github.com/fenchel-ml/fenchel/vec"
)

// A Basis is what was found: K orthonormal rows of Cols numbers, by decreasing
// Value.
type Basis struct {
	K, Cols   int
	Component []float64 // K*Cols, row-major
	// Value is the mean of the squared products with the rows that were seen, as
	// far as the method knows it: the eigenvalue of Sigma in a batch. nil where it
	// does not.
	Value []float64
}

// Row returns component i.
func (b Basis) Row(i int) []float64 { return b.Component[i*b.Cols : (i+1)*b.Cols : (i+1)*b.Cols] }

// Orient gives every component the sign with which its entry of the largest
// magnitude, the first such, is positive.
func (b Basis) Orient() {
	for i := range b.K {
		row, at := b.Row(i), 0
		for j, x := range row {
			if math.Abs(x) > math.Abs(row[at]) {
				at = j
			}
		}
		if row[at] < 0 {
			for j := range row {
				row[j] = -row[j]
			}
		}
	}
}

// along sets Value to the mean squared product of each component with rows.
func (b *Basis) along(x Rows, threads int) {
	n, _ := x.Dims()
	products := make([]float64, n*b.K)
	x.Times(products, b.Component, b.K, threads)
	b.Value = make([]float64, b.K)
	for at, p := range products {
		b.Value[at%b.K] += float64(p * p)
	}
	if n > 0 {
		scale(b.Value, 1/float64(n))
	}
}

// Variances returns the variance of rows along each component, and in all, about the
// mean of the rows, whether or not they are centred.
func (b Basis) Variances(x Rows, threads int) (along []float64, total float64) {
	x.Offset = columnMeans(x.X, threads)
	total, _ = x.Sizes(threads)
	n, _ := x.Dims()
	const block = 4096
	along = make([]float64, b.K)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		b.along(x.Part(lo, hi), threads)
		vec.Axpy64(along, float64(hi-lo)/float64(n), b.Value)
	}
	return along, total
}

// orthonormalise makes the m rows of q, d numbers each, orthonormal by Gram and
// Schmidt, each row taken off twice ("twice is enough", Kahan and Parlett), and
// returns R, m x m, with which the old rows are R times the new ones: lower
// triangular. A row that depends on those before it is replaced by one that does
// not, with a zero on R's diagonal.
func orthonormalise(q []float64, m, d int) []float64 {
	r := make([]float64, m*m)
	c := make([]float64, m)
	for i := range m {
		row := q[i*d : (i+1)*d]
		before := math.Sqrt(vec.SquaredNorm64(row))
		for range 2 {
			takeOff(row, q[:i*d], c[:i])
			for j, x := range c[:i] {
				r[i*m+j] += x
			}
		}
		after := math.Sqrt(vec.SquaredNorm64(row))
		if !(after > negligible*before) {
			replace(row, q[:i*d], i)
			continue
		}
		r[i*m+i] = after
		scale(row, 1/after)
	}
	return r
}

// negligible is the part of a row outside a subspace below which it is rounding.
const negligible = 1e-12

// takeOff subtracts from x its projection on the orthonormal rows of q, of which
// c receives the coefficients.
func takeOff(x, q, c []float64) {
	d := len(x)
	for j := range c {
		c[j] = vec.Dot64(q[j*d:(j+1)*d], x)
	}
	for j, cj := range c {
		vec.Axpy64(x, -cj, q[j*d:(j+1)*d])
	}
}

// replace sets row to a unit vector that is orthogonal to the m < d orthonormal
// rows of q: what is left of the coordinate axis that they contain least of.
func replace(row, q []float64, m int) {
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
	takeOff(row, q[:m*d], c)
	takeOff(row, q[:m*d], c)
	scale(row, 1/math.Sqrt(vec.SquaredNorm64(row)))
}

func scale(x []float64, by float64) {
	for j := range x {
		x[j] *= by
	}
}
