package method

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
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

// Along sets Value to the mean squared product of each component with rows.
func (b *Basis) Along(x view.Rows, threads int) {
	n, _ := x.Dims()
	products := make([]float64, n*b.K)
	x.Times(products, b.Component, b.K, threads)
	b.Value = make([]float64, b.K)
	for at, p := range products {
		b.Value[at%b.K] += float64(p * p)
	}
	if n > 0 {
		algebra.Scale(b.Value, 1/float64(n))
	}
}

// Variances returns the variance of rows along each component, and in all, about the
// mean of the rows, whether or not they are centred.
func (b Basis) Variances(x view.Rows, threads int) (along []float64, total float64) {
	x.Offset = view.ColumnMeans(x.X, threads)
	total, _ = x.Sizes(threads)
	n, _ := x.Dims()
	const block = 4096
	along = make([]float64, b.K)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		b.Along(x.Part(lo, hi), threads)
		vec.Axpy64(along, float64(hi-lo)/float64(n), b.Value)
	}
	return along, total
}

// First returns the first k components.
func (b Basis) First(k int) Basis {
	return Basis{K: k, Cols: b.Cols, Component: b.Component[: k*b.Cols : k*b.Cols], Value: b.Value[:k:k]}
}

// Orthonormalise makes the rows orthonormal, with others in place of those that
// depend on the rest.
func (b Basis) Orthonormalise(threads int) error {
	var eigen lapack.Eigensystem
	if x := vec.SquaredNorm64(b.Component); !(x <= 1e300) {
		return ErrTooLarge(x)
	}
	rows, spread := b.K, 3.0
	for pass := 0; pass < 4 && spread > 2; pass++ {
		rows, _, spread = algebra.OrthonormalBlock(b.Component, rows, rows, b.Cols, 0, threads, &eigen)
	}
	clear(b.Component[rows*b.Cols:])
	for i := rows; i < b.K; i++ {
		algebra.Replace(b.Row(i), b.Component[:i*b.Cols], i)
	}
	return nil
}

// ErrTooLarge is that of rows whose second moment, of which found is a part, is no number.
func ErrTooLarge(found float64) error {
	return fmt.Errorf("the second moment of the rows: found %v, expected finite numbers: the values are too large", found)
}
