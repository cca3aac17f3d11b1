package gram

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// lower is the lower triangle of the matrix of a kernel, in columns of blocks: of
// block column b the rows from the diagonal down, lowerBlock numbers each.
type lower struct {
	n       int
	threads int
	columns [][]float64
	trace   float64 // the sum of the magnitudes on the diagonal
	largest float64 // the largest of them
	error   float64 // bounds that of any value
	fill    func()  // sets the columns to the matrix again
}

// roundoff is the largest relative error of one rounding.
const roundoff = 0x1p-53

// lowerBlock is how many columns are eliminated together. It does not enter results
// but by the order of sums.
const lowerBlock = 64

// maxProved is the largest number of rows whose matrix is factored: 1.6 GB.
const maxProved = 20_000

// newLower computes the values of k for prepared rows, and checks that they are
// symmetric and finite.
func newLower(k kernel.Kernel, x matrix.Matrix, threads int) (*lower, error) {
	n, _ := x.Dims()
	if n > maxProved {
		return nil, fmt.Errorf("a matrix of %d rows is too large for a proof that it is positive semidefinite, expected at most %d", n, maxProved)
	}
	a := &lower{n: n, threads: threads}
	for from := 0; from < n; from += lowerBlock {
		a.columns = append(a.columns, make([]float64, (n-from)*lowerBlock))
	}
	terms, norm := 0, 0.0
	for i := range n {
		row := x.Row(i)
		terms, norm = max(terms, row.Nonzeros()), max(norm, kernel.SquaredNorm(row))
		own := math.Abs(k.Eval(row, row))
		a.trace, a.largest = a.trace+own, max(a.largest, own)
	}
	a.error = k.Error(terms, norm, norm)
	a.fill = func() {
		a.each(func(i, j int, v *float64) { *v = k.Eval(x.Row(i), x.Row(j)) })
	}
	a.fill()
	return a, a.symmetric(k, x)
}

// each calls f with every element on and below the diagonal, in parallel.
func (a *lower) each(f func(i, j int, v *float64)) {
	parallel.Blocks(a.n, 16, a.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			for j := range i + 1 {
				f(i, j, &a.row(i, j/lowerBlock)[j%lowerBlock])
			}
		}
	})
}

// row returns the part of row i in a block column, at or left of the diagonal block.
func (a *lower) row(i, column int) []float64 {
	from := (i - column*lowerBlock) * lowerBlock
	return a.columns[column][from : from+lowerBlock]
}

// symmetric returns the first pair of rows whose values differ, one way round and
// the other, by more than their errors.
func (a *lower) symmetric(k kernel.Kernel, x matrix.Matrix) error {
	bad := make([]error, a.n)
	a.each(func(i, j int, v *float64) {
		back := k.Eval(x.Row(j), x.Row(i))
		if !(math.Abs(*v-back) <= 2*a.error) && bad[i] == nil {
			bad[i] = fmt.Errorf("kernel: rows %d and %d: found k(x,y) = %g and k(y,x) = %g, expected the same finite number", j+1, i+1, back, *v)
		}
	})
	for _, err := range bad {
		if err != nil {
			return err
		}
	}
	return nil
}

// multiply sets dst to the product of the matrix with v.
func (a *lower) multiply(dst, v []float64) {
	// Every row by its left part; the right part of it is the left part of others.
	below := make([][]float64, len(a.columns))
	parallel.Blocks(len(a.columns), 1, a.threads, func(b, _, _ int) {
		from, to := a.span(b)
		sums := make([]float64, to-from)
		for i := to; i < a.n; i++ {
			vec.Axpy64(sums, v[i], a.row(i, b)[:to-from])
		}
		below[b] = sums
	})
	parallel.Blocks(a.n, 16, a.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			own := i / lowerBlock
			sum := below[own][i%lowerBlock]
			for b := range own {
				sum += vec.Dot64(v[b*lowerBlock:(b+1)*lowerBlock], a.row(i, b))
			}
			for j := own * lowerBlock; j < min((own+1)*lowerBlock, a.n); j++ {
				sum = math.FMA(a.row(max(i, j), own)[min(i, j)-own*lowerBlock], v[j], sum)
			}
			dst[i] = sum
		}
	})
}

// margin bounds how far below 0 an eigenvalue of the matrix and shift times the
// identity can be if that has a Cholesky factorisation in floating point: n+8 roundings
// of its trace (Rump, Verification of positive definiteness, BIT 46, 2006, with twice
// the constant), and what the errors of its values can take off. The last part is for
// underflow.
func (a *lower) margin(shift float64) float64 {
	n := float64(a.n)
	return float64((n+8)*2*roundoff*(a.trace+float64(n*shift))) + float64(n*a.error) + float64(0x1p-900*(1+a.largest))
}

// definite reports whether the matrix and shift times the identity is proved positive
// semidefinite: a Cholesky factorisation of it less the margin comes to its end. It
// overwrites the matrix.
//
// A block column is that of the matrix less the products of those on its left, then
// divided by its own factor row by row (left-looking, Golub and Van Loan 4.2.8).
func (a *lower) definite(shift float64) bool {
	margin := a.margin(shift)
	if !(margin <= math.MaxFloat64) {
		return false
	}
	for i := range a.n {
		a.row(i, i/lowerBlock)[i%lowerBlock] += shift - margin
	}
	for b := range a.columns {
		a.subtract(b)
		if !a.factor(b) {
			return false
		}
	}
	return true
}

// subtract takes the products of the block columns on the left off block column b,
// which it leaves with the opposite sign.
func (a *lower) subtract(b int) {
	from, to := a.span(b)
	vec.ScaledAdd(a.columns[b], -1, 0, a.columns[b])
	c := blas.Block[float64]{Value: a.columns[b], Rows: a.n - from, Cols: to - from, Stride: lowerBlock}
	for left := range b {
		rows := blas.Block[float64]{Value: a.columns[left][(from-left*lowerBlock)*lowerBlock:], Rows: a.n - from, Cols: lowerBlock, Stride: lowerBlock}
		own := rows
		own.Rows = to - from
		blas.Gemm64(c, rows, own, a.threads)
	}
}

// factor divides block column b by its own factor, and reports whether all pivots are
// positive.
func (a *lower) factor(b int) bool {
	from, to := a.span(b)
	for i := from; i < to; i++ {
		row := a.row(i, b)
		a.divide(row[:i-from], b)
		pivot := -row[i-from] - vec.SquaredNorm64(row[:i-from])
		if !(pivot > 0) {
			return false
		}
		row[i-from] = math.Sqrt(pivot)
	}
	parallel.Blocks(a.n-to, 16, a.threads, func(_, lo, hi int) {
		for i := to + lo; i < to+hi; i++ {
			a.divide(a.row(i, b), b)
		}
	})
	return true
}

// span returns the columns of a block column.
func (a *lower) span(b int) (from, to int) {
	return b * lowerBlock, min((b+1)*lowerBlock, a.n)
}

// divide turns the first elements of a row, with the opposite sign, into those of the
// factor, by the rows of the factor's diagonal block.
func (a *lower) divide(row []float64, column int) {
	for j := range row {
		factor := a.row(column*lowerBlock+j, column)
		row[j] = (-row[j] - vec.Dot64(row[:j], factor[:j])) / factor[j]
	}
}

// lanczosSteps is how many products with a matrix the estimate of its smallest
// eigenvalue takes.
const lanczosSteps = 40

// smallest returns an estimate from above of the smallest eigenvalue, up to roundings:
// the smallest Ritz value of some steps of Lanczos's method, whose vectors are made
// orthogonal to all before (Golub and Van Loan 10.3.1).
func (a *lower) smallest() float64 {
	n := a.n
	v := make([]float64, n)
	for i := range v { // numbers between 1 and 2 that look like random ones
		h := uint64(i+1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		v[i] = 1 + float64(h>>11)*0x1p-53
		if h&1 != 0 {
			v[i] = -v[i]
		}
	}
	var basis [][]float64
	var diagonal, squares []float64
	squared := vec.SquaredNorm64(v)
	for range min(n, lanczosSteps) {
		u := make([]float64, n)
		vec.Axpy64(u, 1/math.Sqrt(squared), v)
		basis = append(basis, u)
		a.multiply(v, u)
		diagonal = append(diagonal, vec.Dot64(u, v))
		for range 2 { // once leaves roundings of the largest part
			for _, b := range basis {
				vec.Axpy64(v, -vec.Dot64(b, v), b)
			}
		}
		squares = append(squares, squared)
		squared = vec.SquaredNorm64(v)
		if !(squared > float64(roundoff*roundoff*a.trace*a.trace)) {
			break // the vectors so far span an invariant subspace
		}
	}
	n = len(diagonal)
	t, values := make([]float64, n*n), make([]float64, n)
	for i, d := range diagonal {
		if t[i*n+i] = d; i > 0 {
			beside := math.Sqrt(squares[i])
			t[i*n+i-1], t[(i-1)*n+i] = beside, beside
		}
	}
	lapack.Eigen(values, nil, t, n, 1)
	return values[n-1]
}
