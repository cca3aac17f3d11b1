package pca

import (
	"math"

	"github.com/fenchel-ml/fenchel/vec"
)

// HeldOut is what components capture of rows that they were not made of: an
// estimate for all rows like them, and nothing more is claimed.
type HeldOut struct {
	Rows          int
	Captured      float64 // mean over the rows of the squared length of the projection
	StandardError float64 // of that mean; infinite for fewer than two rows
	Total         float64 // mean squared length
}

// NewHeldOut looks at all rows of x.
func NewHeldOut(x Rows, b Basis) HeldOut {
	n, d := x.Dims()
	h := HeldOut{Rows: n, StandardError: math.Inf(1)}
	row, captured := make([]float64, d), make([]float64, n)
	for i := range n {
		x.Row(row, i)
		for c := range b.K {
			p := vec.Dot64(row, b.Row(c))
			captured[i] += float64(p * p)
		}
		h.Captured += captured[i] / float64(n)
		h.Total += vec.SquaredNorm64(row) / float64(n)
	}
	if n < 2 {
		return h
	}
	spread := 0.0
	for _, c := range captured {
		spread += float64((c - h.Captured) * (c - h.Captured))
	}
	h.StandardError = math.Sqrt(spread / float64(n-1) / float64(n))
	return h
}
