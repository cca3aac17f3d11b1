package view

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// What sums in single precision are off by, and second moments in other ways: compressed, and of sparse rows.

// Rounding estimates by how much the values along u, k x d, are too large because products were
// summed in single precision: by the rows of four blocks, which are summed in double
// precision too. Rounding has a part that is alike in all blocks, as values repeat; the
// rest cancels. It is not ok if the rows are too few for a sample, or of too many features.
func Rounding(x matrix.Matrix, u []float64, k, threads int) (errors []float64, ok bool) {
	const height, blocks = 256, 4
	n, d := x.Dims()
	if n < 16*height*blocks || d > 4096 {
		return nil, false
	}
	single, double := algebra.Square(d), algebra.Square(d)
	var formed Formed[float32]
	for i := range blocks {
		lo := i * (n / blocks)
		rows := formed.Form(Rows{X: x}, lo, lo+height, threads)
		blas.GramSingle(single, rows, threads)
		blas.Gram(double, rows, threads)
	}
	vec.Axpy64(single.Value, -1, double.Value)
	part := make([]float64, k*d)
	algebra.Multiply(part, u, single.Value, k, d, d, threads)
	errors = make([]float64, k)
	for i := range errors {
		errors[i] = vec.Dot64(part[i*d:(i+1)*d], u[i*d:(i+1)*d]) / (height * blocks)
	}
	return errors, true
}

// CompressedTo returns U Sigma U^T for the k rows of u, in double precision.
func CompressedTo(ctx context.Context, x Rows, u []float64, k, threads int) ([]float64, error) {
	const height = 8192
	n, d := x.Dims()
	data, direct := x.X.(*matrix.Dense)
	direct = direct && x.Factor == nil && NearZero(x)
	shift := make([]float64, k)
	if x.Offset != nil {
		algebra.Multiply(shift, u, x.Offset, k, 1, d, threads)
	}
	y, g := make([]float64, min(n, height)*k), algebra.Square(k)
	for lo := 0; lo < n; lo += height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+height, n)
		slab := algebra.Block(y, hi-lo, k)
		if direct {
			for i := range hi - lo {
				for j, s := range shift {
					y[i*k+j] = -s
				}
			}
			x.CountReads(hi-lo, 0)
			blas.GemmMixed(slab, algebra.Block(data.Value[lo*d:hi*d], hi-lo, d), algebra.Block(u, k, d), threads)
		} else {
			x.Part(lo, hi).Times(y[:(hi-lo)*k], u, k, threads)
		}
		blas.SyrkCols64(g, slab, threads)
	}
	algebra.Scale(g.Value, 1/float64(n))
	return g.Value, nil
}

// pairsOfValues returns how many pairs of stored values are in the same row.
func pairsOfValues(data *matrix.CSR) (pairs int64) {
	for i := range len(data.Start) - 1 {
		stored := data.Start[i+1] - data.Start[i]
		pairs += stored * stored
	}
	return pairs
}

// SparseSecond returns Sigma of sparse rows: row j of X^T X is the sum of the rows
// that have feature j. Then it is centred, as in rawSecond; where means are large
// beside deviations, this cancels (see [sparseMoment]).
func SparseSecond(ctx context.Context, x Rows, data *matrix.CSR, threads int) ([]float64, error) {
	n, d := x.Dims()
	turned := matrix.Transpose(data)
	x.CountReads(n, pairsOfValues(data))
	s, sums := make([]float64, d*d), make([]float64, d)
	parallel.Blocks(d, 8, threads, func(_, lo, hi int) {
		for j := lo; j < hi && ctx.Err() == nil; j++ {
			column := turned.Row(j)
			for k, i := range column.Index {
				sums[j] += float64(column.Value[k])
				data.Row(int(i)).AddTo(s[j*d:(j+1)*d], float64(column.Value[k]))
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	centre(s, x, sums, threads)
	return s, nil
}
