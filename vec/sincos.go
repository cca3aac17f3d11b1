package vec

import "math"

// The sine and the cosine, the same bits on every machine; those of package
// math are fused or not as the compiler likes. An angle is given in turns: then
// the whole turns and the nearest quarter are taken off without error, however
// large it is. What is left, r with |r| <= 1/8, is z = (2 pi r)^2 <= 0.617, and
//
//	sin = 2 pi r (1 - z/3! + z^2/5! - ...),  cos = 1 - z/2! + z^2/4! - ...
//
// end with z^8, the first terms left out being below 2^-60. The error is below
// 2^-52.

// SinCos returns the sine and the cosine of an angle of so many turns, NaN for
// one that is not finite.
func SinCos(turns float64) (sin, cos float64) {
	t := turns - math.RoundToEven(turns)
	quarter := math.RoundToEven(4 * t)
	r := float64(2*math.Pi) * (t - float64(quarter/4))
	z := r * r
	s, c := 1./355687428096000, 1./20922789888000 // 1/17!, 1/16!
	for _, f := range factorials {
		s, c = math.FMA(-s, z, f[0]), math.FMA(-c, z, f[1])
	}
	s *= r
	switch quarter {
	case 1:
		return c, -s
	case -1:
		return -c, s
	case 2, -2:
		return -s, -c
	}
	return s, c
}

// factorials holds 1/(2n+1)! and 1/(2n)!, from n = 7 to 0.
var factorials = [8][2]float64{
	{1. / 1307674368000, 1. / 87178291200}, {1. / 6227020800, 1. / 479001600}, {1. / 39916800, 1. / 3628800},
	{1. / 362880, 1. / 40320}, {1. / 5040, 1. / 720}, {1. / 120, 1. / 24}, {1. / 6, 1. / 2}, {1, 1},
}
