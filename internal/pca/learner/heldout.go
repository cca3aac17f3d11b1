package learner

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// HeldOut is what components capture of rows that they were not made of: an
// estimate for all rows like them, of which it is a sample, and nothing more is
// claimed. It concerns that sample; what any basis could capture of it is what
// [pca.Certify] bounds.
type HeldOut struct {
	Rows          int
	Captured      float64 // mean over the rows of sum_i (u_i x)^2
	StandardError float64 // of that mean; infinite for fewer than two rows
	Total         float64 // mean squared length
}

// NewHeldOut reads all rows of x, some at a time, in the time that products of
// the nonzeros with the basis take.
func NewHeldOut(x view.Rows, b method.Basis) HeldOut {
	n, _ := x.Dims()
	h := HeldOut{Rows: n}
	h.Captured, h.StandardError = meanOf(captured(x, b))
	h.Total, _ = x.Sizes(0)
	return h
}

// Missed returns by how much the mean over the rows that best captures exceeds what b does, and the
// standard error of that mean: of the differences of each row, which scatter far less than what is
// captured (reference 1.3).
func Missed(x view.Rows, best, b method.Basis) (mean, standardError float64) {
	difference := captured(x, best)
	vec.Axpy64(difference, -1, captured(x, b))
	return meanOf(difference)
}

// captured returns |U x|^2 of each row.
func captured(x view.Rows, b method.Basis) []float64 {
	const block = 2048
	n, _ := x.Dims()
	captured, y := make([]float64, n), make([]float64, min(n, block)*b.K)
	parallel.Blocks(n, block, 1, func(_, lo, hi int) {
		x.Part(lo, hi).Times(y[:(hi-lo)*b.K], b.Component, b.K, 0)
		for i := lo; i < hi; i++ {
			captured[i] = vec.SquaredNorm64(y[(i-lo)*b.K : (i-lo+1)*b.K])
		}
	})
	return captured
}

// meanOf returns the mean of values and its standard error, which is infinite for fewer than two.
func meanOf(values []float64) (mean, standardError float64) {
	var sum, scatter vec.Sum
	for _, v := range values {
		sum.Add(v)
	}
	n := float64(len(values))
	mean = sum.Value() / n
	if len(values) < 2 {
		return mean, math.Inf(1)
	}
	for _, v := range values {
		scatter.Add((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(scatter.Value()/(n-1)) / math.Sqrt(n)
}
