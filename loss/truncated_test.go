package loss

import (
	"math"
	"testing"
)

// TestTruncated: the values, an exact search for the proximal map, and no place among the
// convex losses.
func TestTruncated(t *testing.T) {
	l, err := New("ramp:z=-0.5")
	if err != nil || IsConvex(l) || !IsConvex(Hinge{}) {
		t.Fatalf("found %v, %v, expected a loss that is not convex", l, err)
	}
	for _, e := range Entries() {
		if e.Name == "ramp" {
			t.Error("ramp is among the convex losses")
		}
	}
	for _, y := range []float64{-1, 1} {
		for m, want := range map[float64]float64{-1e300: 1.5, -2: 1.5, -0.5: 1.5, 0: 1, 0.75: 0.25, 1: 0, 3: 0} {
			if got := l.Value(y*m, y); got != want {
				t.Errorf("margin %v: %v, expected %v", m, got, want)
			}
		}
		for _, v := range []float64{-3, -1, -0.6, -0.4, 0, 0.7, 2} {
			for _, step := range []float64{0.1, 1, 4} {
				cost := func(u float64) float64 { return l.Value(u, y) + (u-y*v)*(u-y*v)/(2*step) }
				got := cost(l.Prox(y*v, step, y))
				for u := -5.0; u < 5; u += 0.001 {
					if cost(u) < got-1e-12 {
						t.Errorf("prox of %v, step %v: cost %v, at %v it is %v", y*v, step, got, u, cost(u))
						break
					}
				}
			}
		}
	}
	for _, spec := range []string{"ramp:z=1", "ramp:z=nan", "ramp:gamma=1"} {
		if _, err := New(spec); err == nil {
			t.Errorf("%s: no error", spec)
		}
	}
	if slope := math.Abs(l.Derivative(0.5, 1)); slope != 1 || l.Derivative(-0.6, 1) != 0 || l.Derivative(1, 1) != 0 {
		t.Error("found other slopes than 1 on the ramp and 0 beside it")
	}
}
