package view

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
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
	sum, one, rows := algebra.Square(d), algebra.Square(d), Formed{}
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
	var left, right Formed
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

// Formed is memory for rows that are formed.
type Formed struct{ value []float64 }

// Form returns rows lo to hi.
func (f *Formed) Form(x Rows, lo, hi, threads int) blas.Block[float64] {
	_, d := x.Dims()
	if len(f.value) < (hi-lo)*d {
		f.value = make([]float64, (hi-lo)*d)
	}
	parallel.Blocks(hi-lo, 32, threads, func(_, from, to int) {
		for i := from; i < to; i++ {
			x.Row(f.value[i*d:(i+1)*d], lo+i)
		}
	})
	return blas.Block[float64]{Value: f.value, Rows: hi - lo, Cols: d, Stride: d}
}
