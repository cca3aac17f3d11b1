package loss

import (
	"math"
	"testing"
)

// TestLogOdds: as near as promised, at both ends too.
func TestLogOdds(t *testing.T) {
	for _, x := range []float64{1e-300, 1e-9, 0.1, 1 / 3., 0.5, 1 - math.Sqrt2/2, math.Sqrt2 / 2, 0.9, 1 - 0x1p-53} {
		for _, x := range []float64{x, math.Nextafter(x, 0)} {
			if got, want := logOdds(x), math.Log(x/(1-x)); math.Abs(got-want) > 2e-5 {
				t.Errorf("log odds of %g: %g, want %g", x, got, want)
			}
		}
	}
}
