package loss

import (
	"math"
	"testing"
)

// Functions of the margin z = yp that are not convex, so no [Loss]: what is
// counted, and what theory puts between that and the hinge. With the hinge h,
//
//	slant(z) <= smoothSlant(z) <= slant(z-1/6),  smoothSlant(z-1/3) <= h(z)
//	zeroOne(z) <= smooth(z) <= h(z),             slant(z-1/2) <= h(z)
//
// and the slopes of both smooth ones change by no more than 4 per unit of z.

// zeroOne is 1 where z <= 0: no margin is a mistake too.
func zeroOne(z float64) float64 {
	if z <= 0 {
		return 1
	}
	return 0
}

// slant is min(1, max(0, 1/2 - z)): the probability of a mistake when a number
// uniform in [-1/2, 1/2] is added to the prediction (thesis 3.2).
func slant(z float64) float64 { return clip(0.5-z, 0, 1) }

// smoothSlant is 1 below -1/2, 0 above 2/3, and half a wave of a cosine between
// (thesis, figure 3.3).
func smoothSlant(z float64) float64 {
	switch {
	case z < -0.5:
		return 1
	case z > 2.0/3:
		return 0
	}
	return 0.5 * (1 + math.Cos(6*math.Pi*(z+0.5)/7))
}

// smooth lies between mistakes and the hinge, at most 5/4 (thesis, figure 1.5,
// where it is psi).
func smooth(z float64) float64 {
	switch {
	case z < -0.5:
		return 1.25
	case z < 0:
		return 1 - z*(1+z)
	case z < 1:
		return (1 - z) * (1 - z) * (1 + z)
	}
	return 0
}

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
			{"slant <= smooth slant", slant(z), smoothSlant(z)},
			{"smooth slant <= slant moved by 1/6", smoothSlant(z), slant(z - 1.0/6)},
			{"smooth slant moved by 1/3 <= hinge", smoothSlant(z - 1.0/3), hinge(z)},
			{"slant moved by 1/2 <= hinge", slant(z - 0.5), hinge(z)},
			{"mistakes <= smooth", zeroOne(z), smooth(z)},
			{"smooth <= hinge", smooth(z), hinge(z)},
			{"ramp <= hinge", truncatedHinge(z, -1), hinge(z)},
			{"ramp <= 2", truncatedHinge(z, -1), 2},
			{"curvature of smooth slant", math.Abs(smoothSlant(z-step)-2*smoothSlant(z)+smoothSlant(z+step)) / (step * step), 4 + 1e-6},
			{"curvature of smooth", math.Abs(smooth(z-step)-2*smooth(z)+smooth(z+step)) / (step * step), 4 + 1e-6},
		} {
			if c.low > c.high+eps {
				t.Fatalf("%s: %v and %v at %v", c.name, c.low, c.high, z)
			}
		}
	}
	for _, c := range []struct{ found, expected float64 }{ // section 7 of the reference, item 8
		{smoothSlant(-0.5), 1}, {smoothSlant(1.0 / 12), 0.5}, {smoothSlant(2.0 / 3), 0},
		{smooth(-0.5), 1.25}, {smooth(0), 1}, {smooth(1), 0},
		{zeroOne(0), 1}, {zeroOne(1e-300), 0}, {slant(-0.5), 1}, {slant(0.5), 0}, {truncatedHinge(-7, -1), 2},
	} {
		if math.Abs(c.found-c.expected) > 1e-15 {
			t.Errorf("found %v, expected %v", c.found, c.expected)
		}
	}
}
