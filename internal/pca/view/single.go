package view

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Second moments by sums in single precision, and of sparse rows.

// rowsOfSlab returns how many rows are summed between two looks at whether to go on:
// a multiple of what is summed in single precision, and about 4 10^9 operations.
func rowsOfSlab(d int) int { return 256 * min(max(int(4e9/256/float64(d*d)), 1), 64) }

// NearZero reports whether the rows are hardly longer than when they are centred, by
// some of them: then it makes no difference whether that is done before or after.
func NearZero(x Rows) bool {
	n, d := x.Dims()
	raw := Rows{X: x.X, Factor: x.Factor}
	row := make([]float64, d)
	centred, all := 0.0, 0.0
	for i := 0; i < n; i += (n + 255) / 256 {
		x.Row(row, i)
		centred += vec.SquaredNorm64(row)
		raw.Row(row, i)
		all += vec.SquaredNorm64(row)
	}
	return all <= 16*centred
}

// sumsOf returns the sums of the features, which centred rows know.
func sumsOf(x Rows, threads int) []float64 {
	if !x.centred {
		return columnSums(x.X, threads)
	}
	n, _ := x.Dims()
	sums := append([]float64{}, x.Offset...)
	algebra.Scale(sums, float64(n))
	return sums
}

// columnSums returns the sums of the features, of parts that are a function of the
// rows alone and few enough for their sums to take less memory than the rows.
func columnSums(x matrix.Matrix, threads int) []float64 {
	n, d := x.Dims()
	count := min(64, int64(n+4095)/4096, 1+matrix.Nonzeros(x)/int64(4*max(d, 1)))
	sums := make([]float64, d)
	if n == 0 {
		return sums
	}
	block := int((int64(n) + count - 1) / count)
	parts := make([][]float64, (n+block-1)/block)
	parallel.Blocks(n, block, threads, func(b, lo, hi int) {
		parts[b] = make([]float64, d)
		for i := lo; i < hi; i++ {
			x.Row(i).AddTo(parts[b], 1)
		}
	})
	for _, part := range parts {
		vec.Axpy64(sums, 1, part)
	}
	return sums
}

// expand sets dst to a row.
func expand(dst []float32, row matrix.Vector) {
	if row.Index == nil {
		copy(dst, row.Value)
		return
	}
	clear(dst)
	for k, j := range row.Index {
		dst[j] = row.Value[k]
	}
}

// sumSlabs adds up the products of rows, in single precision 256 at a time. row sets
// dst to row i; it has room for d numbers.
func sumSlabs(ctx context.Context, x matrix.Matrix, threads int, row func(dst []float32, room []float64, i int)) ([]float64, error) {
	n, d := x.Dims()
	second, height := algebra.Square(d), rowsOfSlab(d)
	slab := make([]float32, min(n, height)*d)
	for lo := 0; lo < n; lo += height {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+height, n)
		parallel.Blocks(hi-lo, 32, threads, func(_, from, to int) {
			room := make([]float64, d)
			for i := from; i < to; i++ {
				row(slab[i*d:(i+1)*d], room, lo+i)
			}
		})
		blas.GramSingle(second, blas.Block[float32]{Value: slab[:(hi-lo)*d], Rows: hi - lo, Cols: d, Stride: d}, threads)
	}
	return second.Value, nil
}

// centre makes the sum of the products of rows of X, whose sums are given, Sigma.
func centre(s []float64, x Rows, sums []float64, threads int) {
	n, d := x.Dims()
	parallel.Blocks(d, 16, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s[i*d : (i+1)*d]
			if x.Offset != nil {
				moved := float64(float64(n)*x.Offset[i]) - sums[i]
				for j, o := range x.Offset {
					row[j] += float64(moved*o) - float64(x.Offset[i]*sums[j])
				}
			}
			for j, f := range x.Factor {
				row[j] *= float64(f * x.Factor[i])
			}
			algebra.Scale(row, 1/float64(n))
		}
	})
	algebra.Symmetrise(s, d)
}

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
	rows := newDenseStripes(x, k, threads)
	for i := range blocks {
		lo := i * (n / blocks)
		rows.set(lo, lo+height)
		blas.GramSingle(single, rows.x, threads)
		blas.Gram(double, rows.x, threads)
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
		slab := algebra.Whole(y, hi-lo, k)
		if direct {
			for i := range hi - lo {
				for j, s := range shift {
					y[i*k+j] = -s
				}
			}
			x.CountReads(hi-lo, 0)
			blas.GemmMixed(slab, rowsOf(data, lo, hi), algebra.Whole(u, k, d), threads)
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
