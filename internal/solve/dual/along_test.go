package dual

import (
	"math"
	"testing"
)

// TestSearchAlong: a third of the first slope is left at most, near and far, and the whole
// step is kept where it is good enough; where the slope is steep beyond the best step the
// function still falls.
func TestSearchAlong(t *testing.T) {
	for name, slope := range map[string]func(t float64) float64{
		"whole": func(t float64) float64 { return 0.8*t - 1 },
		"near":  func(t float64) float64 { return 50*t - 1 },
		"far":   func(t float64) float64 { return t/50 - 1 },
		"steep": func(t float64) float64 { return math.Expm1(20 * (t - 0.6)) },
		"bend":  func(t float64) float64 { return max(0.01*t-1, 100*(t-0.7)) },
	} {
		asked := 0
		at := searchAlong(func(t float64) float64 { asked++; return slope(t) })
		steep := name == "steep" || name == "bend"
		if left := slope(at) / slope(0); !(math.Abs(left) <= 1./3) && !(steep && at > 0.4 && left > 0) || asked > 1+mostSlopes {
			t.Errorf("%s: %g of the slope is left at %g, after %d slopes", name, left, at, asked)
		}
		if name == "whole" && at != 1 {
			t.Errorf("the step is %g, expected 1", at)
		}
	}
}
