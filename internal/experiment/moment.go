package experiment

import (
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// SecondMoment returns (1/n) sum_i x_i x_i^T, d x d numbers.
func SecondMoment(x view.Rows, threads int) []float64 {
	const block = 512
	n, d := x.Dims()
	all := blas.Block[float64]{Value: make([]float64, d*d), Rows: d, Cols: d, Stride: d}
	part := make([]float64, block*d)
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		for i := lo; i < hi; i++ {
			x.Row(part[(i-lo)*d:(i-lo+1)*d], i)
		}
		blas.SyrkCols64(all, blas.Block[float64]{Value: part, Rows: hi - lo, Cols: d, Stride: d}, threads)
	}
	for j := range all.Value {
		all.Value[j] /= float64(n)
	}
	return all.Value
}

// Against returns the judge by a second moment, of which it finds the eigenvalues:
// d x d numbers, or d of a diagonal one.
func Against(second []float64, k, d, threads int) judge {
	value := make([]float64, d)
	dense := make([]float64, d*d)
	if len(second) == d {
		for j, v := range second {
			dense[j*d+j] = v
		}
	} else {
		copy(dense, second)
	}
	lapack.Eigen(value, nil, dense, d, threads)
	var best vec.Sum
	for _, v := range value[:k] {
		best.Add(v)
	}
	return func(b method.Basis) float64 { return method.Suboptimality(second, best.Value(), b) }
}
