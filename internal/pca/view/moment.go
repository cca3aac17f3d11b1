package view

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// MomentOf returns Sigma = (1/n) sum_i x_i x_i^T as an operator that never
// forms it: a product is a pass over the rows.
func MomentOf(x Rows, threads int) Operator {
	if csr, ok := x.X.(*matrix.CSR); ok {
		return newSparseMoment(x, csr, sparseRowsAtOnce(csr), threads).operator()
	}
	n, d := x.Dims()
	var part []float64
	return Operator{Dim: d, Block: 16, Apply: func(ctx context.Context, dst, q []float64, m int) error {
		height := rowsAtOnce(x.X, m)
		for lo := 0; lo < n; lo += height {
			if err := ctx.Err(); err != nil {
				return err
			}
			if lo == 0 {
				x.Part(0, min(height, n)).Power(dst, q, m, threads)
				continue
			}
			part = algebra.Zeros(part, m*d)
			x.Part(lo, min(lo+height, n)).Power(part, q, m, threads)
			vec.Axpy64(dst, 1, part)
		}
		algebra.Scale(dst, 1/float64(n))
		return nil
	}}
}

// rowsAtOnce returns how many rows can be multiplied with m vectors between two
// checks whether to go on: about 10^9 operations of dense rows.
func rowsAtOnce(x matrix.Matrix, m int) int {
	rows, cols := x.Dims()
	perRow := float64(matrix.Nonzeros(x)) / float64(max(rows, 1))
	if IsSparse(x) {
		perRow *= 8
	}
	return int(min(max(2.5e8/max(perRow*float64(m), 1), float64(cols), 1024), math.MaxInt32))
}

// DenseOperator returns a, symmetric and dim x dim, as an operator.
func DenseOperator(a []float64, dim, threads int) Operator {
	return Operator{Dim: dim, Block: 8, Apply: func(ctx context.Context, dst, q []float64, m int) error {
		algebra.Multiply(dst, q, a, m, dim, dim, threads)
		return ctx.Err()
	}}
}

// An Operator is a symmetric positive semidefinite matrix, dim x dim, known by its
// products: apply sets dst, m x dim, to Q A for the m rows of q. It is fastest with
// about block rows at once.
type Operator struct {
	Dim, Block int
	Apply      func(ctx context.Context, dst, q []float64, m int) error
}

// ColumnMeans returns the mean of every column.
func ColumnMeans(x matrix.Matrix, threads int) []float64 {
	n, _ := x.Dims()
	sums := columnSums(x, threads)
	algebra.Scale(sums, 1/float64(n))
	return sums
}
