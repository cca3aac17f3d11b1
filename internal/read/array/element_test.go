package array

import (
	"math"
	"testing"
)

// Every half-precision number against the definition, by way of float32 bits.
func TestHalfFloat(t *testing.T) {
	for _, c := range []struct {
		bits     uint16
		expected float64
	}{
		{0x0000, 0}, {0x0001, 0x1p-24}, {0x03ff, 1023 * 0x1p-24}, {0x0400, 0x1p-14},
		{0x3c00, 1}, {0x3555, 0.333251953125}, {0xc000, -2}, {0x7bff, 65504},
		{0x7c00, math.Inf(1)}, {0xfc00, math.Inf(-1)},
	} {
		if got := halfFloat(c.bits); got != c.expected {
			t.Errorf("%#04x: found %v, expected %v", c.bits, got, c.expected)
		}
	}
	if got := halfFloat(0x7e00); !math.IsNaN(got) {
		t.Errorf("found %v, expected NaN", got)
	}
	for bits := range uint16(0x7bff) {
		if halfFloat(bits) >= halfFloat(bits+1) {
			t.Errorf("%#04x: not below its successor", bits)
		}
	}
}
