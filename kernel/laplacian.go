package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/internal/vec/tiles"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Laplacian is exp(-gamma sum_j |x_j - y_j|).
type Laplacian struct{ Gamma float64 }

var (
	_ Decaying = Laplacian{}
	_ Sized    = Laplacian{}
	_ Overlap  = Laplacian{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "laplacian", Summary: "exp(-gamma sum_j |x_j - y_j|); gamma=1",
		New: func(p *registry.Params) (Kernel, error) {
			return Laplacian{p.Float("gamma", 1, "a number > 0", positive)}, nil
		}})
}

// Eval returns exp(-gamma (|x|_1 + |y|_1 - 2 sum_j m(x_j,y_j))), see [Overlap].
func (k Laplacian) Eval(x, y matrix.Vector) float64 {
	return elementary.Exp(-k.Gamma * distance(x, y, leastMagnitude))
}

// Tile adds up what rows have in common.
func (Laplacian) Tile(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	tiles.Least64(dst, at, block, width, slot, start, index, value)
}

// Of takes the exponential of the distances.
func (k Laplacian) Of(dst []float64, xx float64, yy []float64) {
	elementary.Gaussian64(dst, xx, yy, k.Gamma)
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

// Ratios are those of exp for the error of the exponent.
func (k Laplacian) Ratios(terms int, xx, yy float64) (near, far float64) {
	return ratiosOf(k.Gamma * distanceError(terms, 0, xx, yy))
}
