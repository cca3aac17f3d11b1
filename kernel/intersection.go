package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/tiles"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Intersection is sum_j min(x_j, y_j), the histogram intersection, for rows
// without negative values.
type Intersection struct{}

var (
	_ Sized    = Intersection{}
	_ preparer = Intersection{}
	_ Overlap  = Intersection{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "intersection", Summary: "sum_j min(x_j, y_j), histogram intersection, for values >= 0",
		New: func(*registry.Params) (Kernel, error) { return Intersection{}, nil }})
}

// Prepare refuses negative values.
func (Intersection) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) {
	return notNegative("intersection", x)
}

// Eval returns sum_j min(x_j, y_j).
func (Intersection) Eval(x, y matrix.Vector) float64 { return common(x, y, leastMagnitude) }

// Tile adds up what rows have in common.
func (Intersection) Tile(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	tiles.Least64(dst, at, block, width, slot, start, index, value)
}

// Of has nothing to do.
func (Intersection) Of([]float64, float64, []float64) {}

// Size is what the sum of so many values can be, by Cauchy and Schwarz.
func (Intersection) Size(terms int, xx float64) float64 {
	return math.Sqrt(float64(terms)*xx) * (1 + 4*unit)
}

// Relative is that of a sum without negative terms.
func (Intersection) Relative(terms int, _, _ float64) float64 { return float64(terms) * unit }

// Error is Relative times the sizes.
func (k Intersection) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
