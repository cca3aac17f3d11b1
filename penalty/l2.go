package penalty

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// L2 is half the squared Euclidean norm. It is its own conjugate.
type L2 struct{}

var (
	_ Separable      = L2{}
	_ Elastic        = L2{}
	_ Differentiable = L2{}
	_ PNorm          = L2{}
)

func init() {
	penalties.Register(registry.Entry[Penalty]{Name: "l2", Summary: "|w|^2/2: ridge",
		New: func(*registry.Params) (Penalty, error) { return L2{}, nil }})
}

// Value returns |w|^2/2.
func (L2) Value(w []float64) float64 { return vec.SquaredNorm64(w) / 2 }

// Prox returns v/(1+step).
func (L2) Prox(dst, v []float64, step float64) {
	for j, x := range v {
		dst[j] = x / (1 + step)
	}
}

// Conjugate returns 1 and |u|^2/2.
func (L2) Conjugate(u []float64) (scale, value float64) { return 1, vec.SquaredNorm64(u) / 2 }

// Weights returns u.
func (L2) Weights(dst, u []float64) { copy(dst, u) }

// WeightsAt returns u.
func (L2) WeightsAt(dst, u []float64, _ []uint32) { copy(dst, u) }

// Gradient writes w.
func (L2) Gradient(dst, w []float64) { copy(dst, w) }

// P is 2.
func (L2) P() float64 { return 2 }

// Coefficients are 0 and 1.
func (L2) Coefficients() (l1, l2 float64) { return 0, 1 }

// StrongConvexity is 1.
func (L2) StrongConvexity() float64 { return 1 }
