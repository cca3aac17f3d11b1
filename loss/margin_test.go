package loss

import (
	"math"
	"testing"
)

// The order of the functions of a margin on a grid, and how fast the slopes of the
// smooth ones change (F4).
func TestMargins(t *testing.T) {
	const step, eps = 1.0 / 1024, 1e-12
	hinge := func(z float64) float64 { return Hinge{}.Value(z, 1) }
	for z := -3.0; z <= 3; z += step {
		for _, c := range []struct {
			name      string
			low, high float64
		}{
			{"slant <= smooth slant", Slant(z), SmoothSlant(z)},
			{"smooth slant <= slant moved by 1/6", SmoothSlant(z), Slant(z - 1.0/6)},
			{"smooth slant moved by 1/3 <= hinge", SmoothSlant(z - 1.0/3), hinge(z)},
			{"slant moved by 1/2 <= hinge", Slant(z - 0.5), hinge(z)},
			{"mistakes <= smooth", ZeroOne(z), Smooth(z)},
			{"smooth <= hinge", Smooth(z), hinge(z)},
			{"ramp <= hinge", TruncatedHinge(z, -1), hinge(z)},
			{"ramp <= 2", TruncatedHinge(z, -1), 2},
			{"curvature of smooth slant", math.Abs(SmoothSlant(z-step)-2*SmoothSlant(z)+SmoothSlant(z+step)) / (step * step), 4 + 1e-6},
			{"curvature of smooth", math.Abs(Smooth(z-step)-2*Smooth(z)+Smooth(z+step)) / (step * step), 4 + 1e-6},
		} {
			if c.low > c.high+eps {
				t.Fatalf("%s: %v and %v at %v", c.name, c.low, c.high, z)
			}
		}
	}
	for _, c := range []struct{ found, expected float64 }{ // section 7 of the reference, item 8
		{SmoothSlant(-0.5), 1}, {SmoothSlant(1.0 / 12), 0.5}, {SmoothSlant(2.0 / 3), 0},
		{Smooth(-0.5), 1.25}, {Smooth(0), 1}, {Smooth(1), 0},
		{ZeroOne(0), 1}, {ZeroOne(1e-300), 0}, {Slant(-0.5), 1}, {Slant(0.5), 0}, {TruncatedHinge(-7, -1), 2},
	} {
		if math.Abs(c.found-c.expected) > 1e-15 {
			t.Errorf("found %v, expected %v", c.found, c.expected)
		}
	}
}
