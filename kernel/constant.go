package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// Constant is one number >= 0 for any two rows. A product with it scales; a sum
// with it gives the predictor a constant feature. A spec writes the number.
type Constant float64

var (
	_ Inner = Constant(0)
	_ Sized = Constant(0)
)

// Eval returns the number.
func (c Constant) Eval(_, _ matrix.Vector) float64 { return float64(c) }

// Of sets all to the number.
func (c Constant) Of(dst []float64, _ float64, _ []float64) { fill(dst, float64(c)) }

// Of32 does so in single precision.
func (c Constant) Of32(dst []float32, _ float32, _ []float32) { fill(dst, float32(c)) }

func fill[T any](dst []T, v T) {
	for j := range dst {
		dst[j] = v
	}
}

// Size is the number.
func (c Constant) Size(int, float64) float64 { return float64(c) }

// Relative is 0.
func (Constant) Relative(int, float64, float64) float64 { return 0 }

// Error is 0.
func (Constant) Error(int, float64, float64) float64 { return 0 }
