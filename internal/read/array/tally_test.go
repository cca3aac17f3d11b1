package array

import (
	"bytes"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Pairs and single values with every kind of bits, against the definition.
func TestTally(t *testing.T) {
	values := []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
		math.MaxFloat32, -math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.Float32frombits(0xffffffff), math.Float32frombits(0x7f800001)}
	for _, a := range values {
		for _, b := range values {
			for n := range 4 {
				row := []float32{a, b, a}[:n]
				var got, want tally
				got.add(row)
				for _, v := range row {
					if v != 0 {
						want.nonzeros++
					}
					want.infinite = want.infinite || v-v != 0
					want.minus = want.minus || v == 0 && math.Signbit(float64(v))
				}
				if got != want {
					t.Errorf("%v: found %+v, expected %+v", row, got, want)
				}
				if got := set.CountNonzeros(row); int64(got) != want.nonzeros {
					t.Errorf("%v: found %d nonzeros, expected %d", row, got, want.nonzeros)
				}
			}
		}
	}
	raw := make([]byte, 300)
	for i := range raw {
		raw[i] = byte(i)
	}
	for n := range raw {
		if got, want := nonzeroBytes(raw[:n]), int64(n-bytes.Count(raw[:n], []byte{0})); got != want {
			t.Errorf("%d bytes: found %d, expected %d", n, got, want)
		}
	}
}
