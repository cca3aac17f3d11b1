package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/vec"
)

// Laplacian is exp(-gamma sum_j |x_j - y_j|).
type Laplacian struct{ Gamma float64 }

var _ Sized = Laplacian{}

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "laplacian", Summary: "exp(-gamma sum_j |x_j - y_j|); gamma=1",
		New: func(p *registry.Params) (Kernel, error) {
			return Laplacian{p.Float("gamma", 1, "a number > 0", positive)}, nil
		}})
}

// Eval returns exp(-gamma sum_j |x_j - y_j|).
func (k Laplacian) Eval(x, y matrix.Vector) float64 {
	sum := 0.0
	if a, b, ok := dense(x, y); ok {
		for j, a := range a {
			sum += math.Abs(float64(a) - float64(b[j]))
		}
	} else {
		for a, b := range pairs(x, y) {
			sum += math.Abs(a - b)
		}
	}
	return vec.Exp(-k.Gamma * sum)
}

// Size is 1.
func (Laplacian) Size(int, float64) float64 { return 1 }

// Relative is that of e^-s for a sum s of at most twice as many terms, none of
// them negative. Where s is off by a small part t of itself, e^-s is off by t/e
// at most, whatever s is.
func (Laplacian) Relative(terms int, _, _ float64) float64 { return float64(terms+4) * unit }

// Error is Relative.
func (k Laplacian) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
