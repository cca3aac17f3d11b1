package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Laplacian is exp(-gamma sum_j |x_j - y_j|).
type Laplacian struct{ Gamma float64 }

var (
	_ Sized   = Laplacian{}
	_ overlap = Laplacian{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "laplacian", Summary: "exp(-gamma sum_j |x_j - y_j|); gamma=1",
		New: func(p *registry.Params) (Kernel, error) {
			return Laplacian{p.Float("gamma", 1, "a number > 0", positive)}, nil
		}})
}

// Eval returns exp(-gamma (|x|_1 + |y|_1 - 2 sum_j m(x_j,y_j))), see overlap.
func (k Laplacian) Eval(x, y matrix.Vector) float64 {
	return vec.Exp(-k.Gamma * distance(x, y, leastMagnitude))
}

func (Laplacian) tile(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	vec.LeastTile64(dst, at, block, width, slot, start, index, value)
}

func (k Laplacian) of(dst []float64, xx float64, yy []float64) {
	vec.Gaussian64(dst, xx, yy, k.Gamma)
}

// Size is 1.
func (Laplacian) Size(int, float64) float64 { return 1 }

// Relative is the error itself.
func (k Laplacian) Relative(terms int, xx, yy float64) float64 { return k.Error(terms, xx, yy) }

// Error is that of the exponent, as the slope of exp is at most 1 there, and a
// few roundings of the value.
func (k Laplacian) Error(terms int, xx, yy float64) float64 {
	return float64(k.Gamma*distanceError(terms, 0, xx, yy)) + 8*unit
}
