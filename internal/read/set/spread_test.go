package set_test

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		offset float64
	}{
		{[]float64{1.7e9, 1.7e9 + 50}, 1.7e9},
		{[]float64{-1.7e9, -1.7e9 - 50}, -1.7e9},
		{[]float64{1.7e9, 1.7e9}, 0},
		{[]float64{1990, 2020}, 0},
		{[]float64{1 << 24, 1<<24 + 1}, 16777216},
		{[]float64{0, 1e9}, 0},
		{[]float64{1e-40, 1.1e-40}, 1e-40},
		{[]float64{1e-60, 1e-60 * (1 + 1e-9)}, 1e-60},
		{[]float64{-1e-300, 0, 1e-300}, 0},
		{[]float64{1e-37, 3e-37}, 0},
		{[]float64{0.1, 0.1 + 1e-12}, 0.1 + 5e-13},
		{[]float64{math.MaxFloat32, math.MaxFloat32 * (1 - 1e-9)}, math.MaxFloat32},
	} {
		var s set.Spread
		for _, v := range c.values {
			s.Add(v)
		}
		s.Settle()
		got := s.Offset()
		if math.Abs(got-c.offset) > 1e-6*math.Abs(c.values[0]) || (got == 0) != (c.offset == 0) {
			t.Errorf("%v: offset %v, expected %v", c.values, got, c.offset)
		}
		column := set.Column{Offset: got, Factor: s.Factor(got)}
		if small := math.Abs(c.values[0]) < 1e-38 && c.values[1] < 1; small != (column.Factor > 1) {
			t.Errorf("%v: factor %g", c.values, column.Factor)
		}
		if got == 0 && column.Factor == 0 {
			continue
		}
		for _, v := range c.values {
			stored, unit := column.Stored(v), max(1, column.Factor)
			if loss := math.Abs(float64(float32(stored)) - stored); loss > 1e-7*unit*(s.High-s.Low) {
				t.Errorf("%v: %v less %v is rounded by %g", c.values, v, got, loss)
			}
		}
	}
}
