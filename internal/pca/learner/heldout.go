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
	const block = 2048
	n, _ := x.Dims()
	h := HeldOut{Rows: n, StandardError: math.Inf(1)}
	captured, y := make([]float64, n), make([]float64, min(n, block)*b.K)
	var sum vec.Sum
	parallel.Blocks(n, block, 1, func(_, lo, hi int) {
		x.Part(lo, hi).Times(y[:(hi-lo)*b.K], b.Component, b.K, 0)
		for i := lo; i < hi; i++ {
			captured[i] = vec.SquaredNorm64(y[(i-lo)*b.K : (i-lo+1)*b.K])
			sum.Add(captured[i])
		}
	})
	h.Captured = sum.Value() / float64(n)
	h.Total, _ = x.Sizes(0)
	if n < 2 {
		return h
	}
	var scatter vec.Sum
	for _, c := range captured {
		scatter.Add((c - h.Captured) * (c - h.Captured))
	}
	h.StandardError = math.Sqrt(scatter.Value()/float64(n-1)) / math.Sqrt(float64(n))
	return h
}
