package method

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
	// Shift is the mean of the rows, centred and scaled, where the method estimates it; nil: it is 0.
	Shift []float64
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

// Observed sets z to the coordinates of the point of the span that is nearest to x in the features that are
// not gone, where x is 0 in those that are: of several such points of the one nearest to 0.
//
// With U_o of the features that there are, U_o U_o^T z = U_o x; U_o U_o^T is I less the products of
// the columns gone.
func (b Basis) Observed(z, x []float64, gone []uint32) {
	k := b.K
	right, inner, values, vectors := make([]float64, k), make([]float64, k*k), make([]float64, k), make([]float64, k*k)
	for i := range k {
		right[i] = vec.Dot64(b.Row(i), x)
		inner[i*k+i] = 1
		for l := range k {
			for _, j := range gone {
				inner[i*k+l] -= float64(b.Row(i)[j] * b.Row(l)[j])
			}
		}
	}
	if len(gone) == 0 {
		copy(z, right)
		return
	}
	lapack.Eigen(values, vectors, inner, k, 1)
	clear(z[:k])
	for i, value := range values {
		if v := vectors[i*k : (i+1)*k]; value > leastSeen {
			vec.Axpy64(z[:k], vec.Dot64(v, right)/value, v)
		}
	}
}

// leastSeen is the squared length of a unit direction in the features left below which it counts as unobserved.
const leastSeen = 1e-8

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

// Sorted returns the components by decreasing Value, equals in their order.
func (b Basis) Sorted() Basis {
	order := make([]int, b.K)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.Value[j], b.Value[i]) })
	sorted := Basis{K: b.K, Cols: b.Cols, Shift: b.Shift}
	for _, i := range order {
		sorted.Component, sorted.Value = append(sorted.Component, b.Row(i)...), append(sorted.Value, b.Value[i])
	}
	return sorted
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

// Suboptimality of a basis U (thesis 4.1, reference 1.3):
//
//	epsilon(U) = sum_{i<=k} lambda_i - tr(U Sigma U^T)
//
// in units of the data's squared length; not an angle, for a large angle costs
// nothing where two eigenvalues are nearly equal. A value below -1e-9 means that U
// is not orthonormal, and is not hidden.

// Captured returns tr(U Sigma U^T), where second is Sigma, Cols x Cols numbers or
// the Cols numbers of a diagonal one.
func Captured(second []float64, u Basis) float64 {
	var sum vec.Sum
	d := u.Cols
	for i := range u.K {
		row := u.Row(i)
		for j, v := range row {
			if len(second) == d {
				sum.Add(float64(second[j]*v) * v)
			} else {
				sum.Add(v * vec.Dot64(second[j*d:(j+1)*d], row))
			}
		}
	}
	return sum.Value()
}

// Suboptimality returns epsilon(u), given what the best subspace of u.K dimensions
// captures: the sum of so many eigenvalues of Sigma.
func Suboptimality(second []float64, best float64, u Basis) float64 {
	return best - Captured(second, u)
}

// RayleighRitz returns the basis of the same subspace that the rows' second moment
// has no products between, by decreasing variance: the eigenvectors of U Sigma U^T,
// with its eigenvalues. It reads the rows once.
func RayleighRitz(x view.Rows, b Basis, threads int) Basis {
	n, _ := x.Dims()
	k, d := b.K, b.Cols
	z, a := make([]float64, k*d), make([]float64, k*k)
	x.Power(z, b.Component, k, threads)
	for i := range k {
		for j := range i + 1 {
			a[i*k+j] = vec.Dot64(z[i*d:(i+1)*d], b.Row(j)) / float64(n)
			a[j*k+i] = a[i*k+j]
		}
	}
	var e algebra.Eigensystem
	value := make([]float64, k)
	vectors := e.Decompose(value, a, k)
	for i, v := range value {
		value[i] = max(v, 0)
	}
	return Basis{K: k, Cols: d, Component: algebra.Combine(nil, vectors, b.Component, k, k, d), Value: value}
}

// Departure returns by how much products of the components differ from those of
// orthonormal ones, at most; NaN where some are no numbers.
func (b Basis) Departure() float64 {
	worst := 0.0
	for i := range b.K {
		for j := range i + 1 {
			p := vec.Dot64(b.Row(i), b.Row(j))
			if i == j {
				p--
			}
			worst = max(worst, p, -p)
		}
	}
	return worst
}
