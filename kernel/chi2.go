package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/internal/vec/tiles"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Chi2 is exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)), for rows without negative
// values, such as histograms; columns where both are 0 add nothing.
type Chi2 struct{ Gamma float64 }

var (
	_ Decaying = Chi2{}
	_ Sized    = Chi2{}
	_ preparer = Chi2{}
	_ Overlap  = Chi2{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "chi2", Summary: "exp(-gamma sum_j (x_j-y_j)^2/(x_j+y_j)), chi-squared, for values >= 0; gamma=1",
		New: func(p *registry.Params) (Kernel, error) {
			return Chi2{p.Float("gamma", 1, "a number > 0", positive)}, nil
		}})
}

// Prepare refuses negative values.
func (Chi2) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) { return notNegative("chi2", x) }

// Eval returns exp(-gamma (|x|_1 + |y|_1 - 2 sum_j m(x_j,y_j))), see [Overlap].
func (k Chi2) Eval(x, y matrix.Vector) float64 {
	return elementary.Exp(-k.Gamma * distance(x, y, harmonicMean))
}

// Tile adds up what rows have in common.
func (Chi2) Tile(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	tiles.Harmonic64(dst, at, block, width, slot, start, index, value)
}

// Of takes the exponential of the distances.
func (k Chi2) Of(dst []float64, xx float64, yy []float64) {
	elementary.Gaussian64(dst, xx, yy, k.Gamma)
}

// Size is 1.
func (Chi2) Size(int, float64) float64 { return 1 }

// Relative is the error itself.
func (k Chi2) Relative(terms int, xx, yy float64) float64 { return k.Error(terms, xx, yy) }

// Error is that of the exponent, as for [Laplacian]; a mean has two roundings.
func (k Chi2) Error(terms int, xx, yy float64) float64 {
	return float64(k.Gamma*distanceError(terms, 2, xx, yy)) + 8*unit
}

// Ratios are those of exp for the error of the exponent.
func (k Chi2) Ratios(terms int, xx, yy float64) (near, far float64) {
	return ratiosOf(k.Gamma * distanceError(terms, 2, xx, yy))
}
