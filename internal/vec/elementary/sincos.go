package elementary

import "math"

// The sine and the cosine, the same bits on every machine. An angle t is given in
// turns: then whole turns, and the nearest half turn h/2, are taken off without
// error, however large it is. What is left, r with |r| <= 1/4, is x = 2 pi r, and
// with z = x^2 <= 2.4675
//
//	sin = (-1)^h x (1 - z/3! + z^2/5! - ... + z^10/21!)
//	cos = (-1)^h   (1 - z/2! + z^2/4! - ... - z^11/22!)
//
// the first terms left out being below 2^-59, by Estrin's scheme. The error is
// below 2^-51; that of the sine also relative to it where it is small.

// Sin returns the sine of an angle of so many turns, NaN for one that is not
// finite.
func Sin(turns float64) float64 {
	x, sign := halfTurns(turns)
	z := x * x
	z2 := z * z
	z4 := z2 * z2
	a := math.FMA(math.FMA(sinTerms[3], z, sinTerms[2]), z2, math.FMA(sinTerms[1], z, sinTerms[0]))
	b := math.FMA(math.FMA(sinTerms[7], z, sinTerms[6]), z2, math.FMA(sinTerms[5], z, sinTerms[4]))
	c := math.FMA(sinTerms[10], z2, math.FMA(sinTerms[9], z, sinTerms[8]))
	p := math.FMA(c, z4*z4, math.FMA(b, z4, a))
	return float64(x*p) * sign
}

// Cos returns the cosine of an angle of so many turns, NaN for one that is not
// finite.
func Cos(turns float64) float64 {
	x, sign := halfTurns(turns)
	z := x * x
	z2 := z * z
	z4 := z2 * z2
	a := math.FMA(math.FMA(cosTerms[3], z, cosTerms[2]), z2, math.FMA(cosTerms[1], z, cosTerms[0]))
	b := math.FMA(math.FMA(cosTerms[7], z, cosTerms[6]), z2, math.FMA(cosTerms[5], z, cosTerms[4]))
	c := math.FMA(math.FMA(cosTerms[11], z, cosTerms[10]), z2, math.FMA(cosTerms[9], z, cosTerms[8]))
	return math.FMA(c, z4*z4, math.FMA(b, z4, a)) * sign
}

// halfTurns returns x and (-1)^h.
func halfTurns(turns float64) (x, sign float64) {
	t := turns - math.RoundToEven(turns)
	h := math.RoundToEven(t + t)
	r := math.FMA(h, -0.5, t)
	return r * (2 * math.Pi), math.FMA(h*-2, h, 1)
}

// sinTerms and cosTerms are the coefficients (-1)^k/(2k+1)! and (-1)^k/(2k)!.
var sinTerms, cosTerms = trigonometric(1, 11), trigonometric(0, 12)

func trigonometric(first, n int) (terms [12]float64) {
	factorial := 1.0 // up to 22! exact
	for k := range n {
		if k > 0 {
			factorial *= -float64((2*k + first - 1) * (2*k + first))
		}
		terms[k] = 1 / factorial
	}
	return terms
}

// SinTo sets dst[j] = Sin(src[j]) for the elements of src; the two may be the
// same slice.
func SinTo(dst, src []float64) { sinTo(dst[:len(src)], src) }

// CosTo sets dst[j] = Cos(src[j]) for the elements of src; the two may be the
// same slice.
func CosTo(dst, src []float64) { cosTo(dst[:len(src)], src) }
