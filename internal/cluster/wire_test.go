package cluster

import (
	"math"
	"slices"
	"testing"
)

// TestFloats: numbers arrive bit for bit, in fewer bytes where most are 0; bytes that are cut are an error.
func TestFloats(t *testing.T) {
	sparse := make([]float64, 1000)
	sparse[3], sparse[999], sparse[7] = 1.5, math.Copysign(0, -1), math.Inf(1)
	for _, c := range []struct {
		x    []float64
		size int
	}{{nil, 8}, {[]float64{}, 9}, {[]float64{0}, 10}, {[]float64{math.NaN(), -1}, 25}, {[]float64{0, 0, 1}, 18}, {sparse, 9 + 125 + 24}} {
		raw, err := encode(struct{ X []float64 }{c.x})
		if err != nil || len(raw) != c.size {
			t.Errorf("%v: found %d bytes (%v), expected %d", c.x[:min(len(c.x), 5)], len(raw), err, c.size)
		}
		var back struct{ X []float64 }
		if err := decode(raw, &back); err != nil || (back.X == nil) != (c.x == nil) || !slices.EqualFunc(back.X, c.x, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%v: found %v (%v)", c.x, back.X, err)
		}
		for n := range raw {
			if err := decode(raw[:n], &back); err == nil {
				t.Errorf("%v: found no error of the first %d bytes", c.x[:min(len(c.x), 5)], n)
			}
		}
	}
}
