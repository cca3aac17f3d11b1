package scaling

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Range returns the first place in x whose scaled value is too large for single
// precision, as far from the training rows as none of these was. What is made of
// infinite values are scores without a meaning.
func (s *Scaling) Range(x matrix.Matrix, threads int) error {
	const block = 1024
	rows, _ := x.Dims()
	errs := make([]error, (rows+block-1)/block)
	safe := s.safe()
	parallel.Blocks(rows, block, threads, func(b, lo, hi int) {
		for i := lo; i < hi && errs[b] == nil; i++ {
			errs[b] = s.rangeOf(i, x.Row(i), safe)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// safe returns a magnitude up to which the values of any feature stay in range.
func (s *Scaling) safe() float32 {
	largest := float64(math.MaxFloat32)
	for j, f := range s.Factor {
		largest = min(largest, math.MaxFloat32/math.Abs(f)-math.Abs(s.Offset[j]))
	}
	return float32(max(0, largest*(1-1e-6)))
}

// rangeOf is Range of row i. Features that the scaling does not know are passed over.
func (s *Scaling) rangeOf(i int, x matrix.Vector, safe float32) error {
	for k, value := range x.Value {
		if -safe <= value && value <= safe {
			continue
		}
		j := x.Column(k)
		if j >= len(s.Factor) {
			return nil
		}
		if scaled := (float64(value) - s.Offset[j]) * s.Factor[j]; math.Abs(scaled) > math.MaxFloat32 {
			return fmt.Errorf("row %d: feature %d: found %g, which is %.3g when scaled as the training rows were, expected at most %.3g, what single precision holds", i+1, j+1, value, scaled, math.MaxFloat32)
		}
	}
	return nil
}
