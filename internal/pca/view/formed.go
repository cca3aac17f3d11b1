package view

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// MomentRows is how many rows are added up in one chain.
const MomentRows = 2048

// SecondMoment returns Sigma, d x d; where rows share it, no one may change it.
func SecondMoment(ctx context.Context, x Rows, threads int) ([]float64, error) {
	n, d := x.Dims()
	return x.once(d <= n, func() ([]float64, error) { return secondMoment(ctx, x, threads) })
}

func secondMoment(ctx context.Context, x Rows, threads int) ([]float64, error) {
	n, d := x.Dims()
	sum, one, rows := algebra.Square(d), algebra.Square(d), Formed[float64]{}
	for lo := 0; lo < n; lo += MomentRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(one.Value)
		x.CountReads(min(MomentRows, n-lo), 0)
		blas.SyrkCols64(one, rows.Form(x, lo, min(lo+MomentRows, n), threads), threads)
		algebra.AddTo(sum, one, threads)
	}
	algebra.Divide(sum.Value, float64(n))
	return sum.Value, nil
}

// InnerProducts returns the products of rows, over n, n x n, by blocks of rows of
// which two are formed at a time; where rows share them, no one may change them.
func InnerProducts(ctx context.Context, x Rows, threads int) ([]float64, error) {
	n, d := x.Dims()
	return x.once(n < d, func() ([]float64, error) { return innerProducts(ctx, x, threads) })
}

func innerProducts(ctx context.Context, x Rows, threads int) ([]float64, error) {
	n, d := x.Dims()
	height := min(max(1<<22/d, 32), n)
	products := algebra.Square(n)
	var left, right Formed[float64]
	for lo := 0; lo < n; lo += height {
		hi := min(lo+height, n)
		x.CountReads(hi, 0)
		a := left.Form(x, lo, hi, threads)
		blas.SyrkRows64(blas.Block[float64]{Value: products.Value[lo*n+lo:], Rows: hi - lo, Cols: hi - lo, Stride: n}, a, threads)
		for from := 0; from < lo; from += height {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			b := right.Form(x, from, from+height, threads)
			below := blas.Block[float64]{Value: products.Value[lo*n+from:], Rows: hi - lo, Cols: height, Stride: n}
			blas.Gemm64(below, a, b, threads)
			blas.Transpose64(blas.Block[float64]{Value: products.Value[from*n+lo:], Rows: height, Cols: hi - lo, Stride: n}, below)
		}
	}
	algebra.Divide(products.Value, float64(n))
	return products.Value, nil
}

// Formed is memory for rows that are formed in some precision.
type Formed[T float32 | float64] struct{ value []T }

// Form returns rows lo to hi, valid until the next call: those that are stored as they are to
// be, where they are.
func (f *Formed[T]) Form(x Rows, lo, hi, threads int) blas.Block[T] {
	_, d := x.Dims()
	if data, ok := x.X.(*matrix.Dense); ok && x.Offset == nil && x.Factor == nil {
		if value, ok := any(data.Value).([]T); ok {
			return algebra.Block(value[lo*d:hi*d], hi-lo, d)
		}
	}
	f.value = algebra.Sized(f.value, (hi-lo)*d)
	parallel.Blocks(hi-lo, 128, threads, func(_, from, to int) {
		for i := from; i < to; i++ {
			switch row := any(f.value[i*d : (i+1)*d]).(type) {
			case []float64:
				x.Row(row, lo+i)
			case []float32:
				x.single(row, lo+i)
			}
		}
	})
	return algebra.Block(f.value, hi-lo, d)
}

// single is Row, rounded.
func (r Rows) single(dst []float32, i int) {
	r.X.Row(i).CopyTo(dst)
	if r.Offset == nil && r.Factor == nil {
		return
	}
	for j, v := range dst {
		value := float64(v)
		if r.Offset != nil {
			value -= r.Offset[j]
		}
		if r.Factor != nil {
			value *= r.Factor[j]
		}
		dst[j] = float32(value)
	}
}
