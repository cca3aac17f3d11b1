package penalty

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// L1 is the sum of the magnitudes; it makes most weights exactly zero.
//
// Its conjugate is 0 on the box |u_j| <= 1 and infinite outside.
type L1 struct{}

var _ Elastic = L1{}

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "l1", Summary: "|w|_1: few nonzero weights",
		New: func(*registry.Params) (Penalty, error) { return L1{}, nil }})
}

// Value returns the sum of |w_j|.
func (L1) Value(w []float64) float64 {
	var s vec.Sum
	for _, x := range w {
		s.Add(math.Abs(x))
	}
	return s.Value()
}

// Prox moves every weight towards zero by step.
func (L1) Prox(dst, v []float64, step float64) {
	for j, x := range v {
		dst[j] = vec.Shrink(x, step)
	}
}

// Conjugate returns min(1, 1/max|u_j|), rounded down, and 0.
func (L1) Conjugate(u []float64) (scale, value float64) {
	largest := 0.0
	for _, x := range u {
		largest = math.Max(largest, math.Abs(x))
	}
	if largest <= 1 {
		return 1, 0
	}
	return math.Nextafter(1/largest, 0), 0
}

// Coefficients are 1 and 0.
func (L1) Coefficients() (l1, l2 float64) { return 1, 0 }

// StrongConvexity is 0.
func (L1) StrongConvexity() float64 { return 0 }
