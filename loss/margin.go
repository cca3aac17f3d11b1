package loss

import "math"

// Functions of the margin z = yp that are not convex, so no [Loss]: what is
// counted, and what theory puts between that and the hinge. With the hinge h,
//
//	Slant(z) <= SmoothSlant(z) <= Slant(z-1/6),  SmoothSlant(z-1/3) <= h(z)
//	ZeroOne(z) <= Smooth(z) <= h(z),             Slant(z-1/2) <= h(z)
//
// and the slopes of both smooth ones change by no more than 4 per unit of z.

// ZeroOne is 1 where z <= 0: no margin is a mistake too.
func ZeroOne(z float64) float64 {
	if z <= 0 {
		return 1
	}
	return 0
}

// Slant is min(1, max(0, 1/2 - z)): the probability of a mistake when a number
// uniform in [-1/2, 1/2] is added to the prediction (thesis 3.2).
func Slant(z float64) float64 { return clip(0.5-z, 0, 1) }

// TruncatedHinge is min(1-end, max(0, 1-z)), the ramp loss: flat where z < end.
func TruncatedHinge(z, end float64) float64 { return clip(1-z, 0, 1-end) }

// SmoothSlant is 1 below -1/2, 0 above 2/3, and half a wave of a cosine between
// (thesis, figure 3.3).
func SmoothSlant(z float64) float64 {
	switch {
	case z < -0.5:
		return 1
	case z > 2.0/3:
		return 0
	}
	return 0.5 * (1 + math.Cos(6*math.Pi*(z+0.5)/7))
}

// Smooth lies between mistakes and the hinge, at most 5/4 (thesis, figure 1.5,
// where it is psi).
func Smooth(z float64) float64 {
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
