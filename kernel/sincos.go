package kernel

import "math"

// The sine and the cosine, the same bits on every machine; those of package
// math are fused or not as the compiler likes. x = k pi/2 + r with k an integer and
// |r| <= pi/4, pi/2 being three numbers; there the series end with r^17 and r^16,
// the first terms left out being below 2^-58. Beyond 2^40, where neighbouring
// numbers are 10^-4 apart, x is first replaced by its remainder.

const halfPiHi, halfPiMid, halfPiLo = 0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110

// sincos returns the sine and the cosine of a finite number.
func sincos(x float64) (sin, cos float64) {
	if math.Abs(x) > 1<<40 {
		x = math.Remainder(x, 2*math.Pi)
	}
	k := math.RoundToEven(x * (2 / math.Pi))
	r := math.FMA(k, -halfPiLo, math.FMA(k, -halfPiMid, math.FMA(k, -halfPiHi, x)))
	z := r * r
	s, c := 1./355687428096000, 1./20922789888000 // 1/17!, 1/16!
	for _, t := range series {
		s, c = math.FMA(-s, z, t[0]), math.FMA(-c, z, t[1])
	}
	sin, cos = s*r, c
	switch int64(k) & 3 {
	case 1:
		return cos, -sin
	case 2:
		return -sin, -cos
	case 3:
		return -cos, sin
	}
	return sin, cos
}

// series holds 1/(2n+1)! and 1/(2n)!, from n = 7 to 0.
var series = [8][2]float64{
	{1. / 1307674368000, 1. / 87178291200}, {1. / 6227020800, 1. / 479001600}, {1. / 39916800, 1. / 3628800},
	{1. / 362880, 1. / 40320}, {1. / 5040, 1. / 720}, {1. / 120, 1. / 24}, {1. / 6, 1. / 2}, {1, 1},
}
