package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Linear is the inner product itself, <x,y>.
type Linear struct{}

var (
	_ Inner = Linear{}
	_ Sized = Linear{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "linear", Summary: "<x,y>",
		New: func(*registry.Params) (Kernel, error) { return Linear{}, nil }})
}

// Eval returns <x,y>.
func (Linear) Eval(x, y matrix.Vector) float64 { return dot(x, y) }

// Of has nothing to do.
func (Linear) Of([]float64, float64, []float64) {}

// Of32 has nothing to do.
func (Linear) Of32([]float32, float32, []float32) {}

// Error is that of a sum of products, by Cauchy and Schwarz.
func (Linear) Error(terms int, xx, yy float64) float64 { return dotError(terms, xx, yy) }

// dot returns <x,y>, added up in the order of the columns.
func dot(x, y matrix.Vector) float64 {
	if len(y.Value) < len(x.Value) {
		x, y = y, x
	}
	sum := 0.0
	k := 0
	for i, v := range x.Value {
		c := x.Column(i)
		if y.Index == nil {
			k = c
		}
		for k < len(y.Value) && y.Column(k) < c {
			k++
		}
		if k < len(y.Value) && y.Column(k) == c {
			sum = math.FMA(float64(v), float64(y.Value[k]), sum)
		}
	}
	return sum
}

// SquaredNorm returns <x,x> with the bits that every inner kernel uses, those of
// the same row stored dense or sparse, and of <x,x> as an inner product.
func SquaredNorm(x matrix.Vector) float64 {
	sum := 0.0
	for _, v := range x.Value {
		sum = math.FMA(float64(v), float64(v), sum)
	}
	return sum
}

// dotError bounds the error of an inner product of at most so many terms.
func dotError(terms int, xx, yy float64) float64 {
	return float64(terms+2) * unit * math.Sqrt(xx) * math.Sqrt(yy)
}

// Size is |x|^2.
func (Linear) Size(_ int, xx float64) float64 { return xx }

// Relative is the error for rows of norm 1.
func (Linear) Relative(terms int, _, _ float64) float64 { return dotError(terms, 1, 1) }
