package loss

import (
	"math"
	"testing"
)

// TestInverse: at the ends of the interval, and next to them, the slope is what
// loss.Invertible says; between two dual variables of one sign the interval moves
// by the inverse of the smoothness.
func TestInverse(t *testing.T) {
	for _, e := range Entries() {
		l, err := New(e.Name)
		if err != nil {
			t.Fatal(err)
		}
		inverse, ok := l.(Invertible)
		if !ok {
			t.Errorf("%s has no inverse", e.Name)
			continue
		}
		for _, y := range []float64{-1, 1} {
			first, last := l.Domain(y)
			for _, a := range []float64{-3, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 3} {
				if a < first || a > last {
					continue
				}
				lo, hi := inverse.Inverse(a, y)
				if math.IsNaN(lo) || math.IsNaN(hi) || lo > hi {
					t.Errorf("%s: a=%g y=%g: [%g, %g]", e.Name, a, y, lo, hi)
				}
				const h = 1e-7
				if !math.IsInf(lo, 0) && (l.Derivative(lo-h, y) > a+1e-12 || l.Derivative(lo+h, y) < a-1e-12) {
					t.Errorf("%s: a=%g y=%g: not a slope at %g", e.Name, a, y, lo)
				}
				if !math.IsInf(hi, 0) && (l.Derivative(hi-h, y) > a+1e-12 || l.Derivative(hi+h, y) < a-1e-12) {
					t.Errorf("%s: a=%g y=%g: not a slope at %g", e.Name, a, y, hi)
				}
				// Just outside the slope is another one.
				if !math.IsInf(lo, 0) && !(l.Derivative(lo-h, y) < a) || !math.IsInf(hi, 0) && !(l.Derivative(hi+h, y) > a) {
					t.Errorf("%s: a=%g y=%g: the interval is longer than [%g, %g]", e.Name, a, y, lo, hi)
				}
				next := a + 0.125
				if next > last || a*next < 0 {
					continue
				}
				after, _ := inverse.Inverse(next, y)
				want := 0.125 / l.Smoothness()
				if rise := after - hi; !math.IsInf(hi, 0) && !math.IsInf(after, 0) && (rise < want-1e-12 || e.Name != "logistic" && rise > want+1e-12) {
					t.Errorf("%s: a=%g y=%g: rises by %g, expected %g", e.Name, a, y, rise, want)
				}
			}
		}
	}
}
