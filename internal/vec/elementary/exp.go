// Package elementary computes elementary functions and what is made of them element by element,
// the same bits on every machine: those of package math differ.
package elementary

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// The exponential.
//
//	x = k ln 2 + r,  k an integer, |r| <= ln(2)/2:  e^x = 2^k e^r
//
// ln 2 is two numbers; the multiply-add subtracts k times the first without
// error. Adding 1.5*2^52 rounds to an integer and leaves it in the low bits of
// the sum. e^r = 1 + (r + r^2 (1/2! + r/3! + ... + r^11/13!)), where the first term
// left out is below 2^-57, is summed by Estrin's scheme: short chains, so that
// a single number does not wait long. The largest error found is 0.97 units in
// the last place.
//
// Outside [-746, 710] the result is 0 or +Inf, as it is at these ends; 2^k is
// multiplied in two halves, so that only the last product can leave the normal
// numbers.

const (
	expLow, expHigh = -746, 710
	ln2Hi, ln2Lo    = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
	magic           = 0x1.8p52
)

// Exp returns e^x: +Inf above 709.78, 0 below -745.13, NaN for NaN.
func Exp(x float64) float64 {
	if x > expHigh {
		x = expHigh
	}
	if x < expLow {
		x = expLow
	}
	t := math.FMA(math.Log2E, x, magic)
	k := t - magic
	r := math.FMA(k, -ln2Lo, math.FMA(k, -ln2Hi, x))

	r2 := r * r
	r4 := r2 * r2
	a := math.FMA(math.FMA(1./120, r, 1./24), r2, math.FMA(1./6, r, 1./2))
	b := math.FMA(math.FMA(1./362880, r, 1./40320), r2, math.FMA(1./5040, r, 1./720))
	c := math.FMA(math.FMA(1./6227020800, r, 1./479001600), r2, math.FMA(1./39916800, r, 1./3628800))
	q := math.FMA(c, r4*r4, math.FMA(b, r4, a))
	y := math.FMA(q, r2, r) + 1

	bits := int32(math.Float64bits(t))
	return float64(y * power2(bits>>1) * power2(bits-bits>>1))
}

// power2 returns 2^k for |k| <= 1022.
func power2(k int32) float64 { return math.Float64frombits(uint64(1023+k) << 52) }

// Exp32 is Exp in single precision, by the same steps with a polynomial of
// degree 7: +Inf above 88.72, 0 below -103.97. Its relative error is below
// 1.2e-7 where the result is a normal number.
func Exp32(x float32) float32 {
	const magic, ln2Hi, ln2Lo = 0x1.8p23, 0x1.62e43p-1, -0x1.05c610ca86c39p-29
	if x > 89 {
		x = 89
	}
	if x < -104 {
		x = -104
	}
	t := vec.FMA32(math.Log2E, x, magic)
	k := t - magic
	r := vec.FMA32(k, -ln2Lo, vec.FMA32(k, -ln2Hi, x))

	r2 := r * r
	a := vec.FMA32(vec.FMA32(1./120, r, 1./24), r2, vec.FMA32(1./6, r, 1./2))
	q := vec.FMA32(vec.FMA32(1./5040, r, 1./720), r2*r2, a)
	y := vec.FMA32(q, r2, r) + 1

	bits := int32(math.Float32bits(t)<<16) >> 16
	return float32(y * power2Single(bits>>1) * power2Single(bits-bits>>1))
}

// power2Single returns 2^k for |k| <= 126.
func power2Single(k int32) float32 { return math.Float32frombits(uint32(127+k) << 23) }

// ExpTo sets dst[j] = Exp(src[j]) for the elements of src; the two may be the
// same slice.
func ExpTo(dst, src []float64) { expTo(dst[:len(src)], src) }

// ExpTo32 sets dst[j] = Exp32(src[j]) for the elements of src; the two may be
// the same slice.
func ExpTo32(dst, src []float32) { exp32To(dst[:len(src)], src) }

// Sigmoid returns 1/(1+e^-x), with an error below 3 units in the last place
// (while e^x is a normal number): for x < 0 it is e^x/(1+e^x).
func Sigmoid(x float64) float64 {
	e := Exp(-math.Abs(x))
	if x < 0 {
		return e / (e + 1)
	}
	return 1 / (e + 1)
}

// SigmoidTo sets dst[j] = Sigmoid(src[j]) for the elements of src; the two may
// be the same slice.
func SigmoidTo(dst, src []float64) { sigmoidTo(dst[:len(src)], src) }

// each sets dst[j] = f(src[j]).
func each[T vec.Float](dst, src []T, f func(T) T) {
	dst = dst[:len(src)]
	for j, x := range src {
		dst[j] = f(x)
	}
}
