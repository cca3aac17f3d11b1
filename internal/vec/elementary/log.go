package elementary

import "math"

// The logarithm, the same bits on every machine. With s = f/(2+f),
// log(1+f) = 2 atanh(s) = 2s + s^3 (2/3 + 2/5 s^2 + ... + 2/23 s^20), and
// 2s = f - s*f keeps the leading term exact: log(1+f) = f - s (f - s^2 (...)).
// |s| is at most 1/5, where the first term left out is below 2^-58 of the
// result.

const (
	ln2Hi33 = 6.93147180369123816490e-01 // ln 2 to 33 bits: k*ln2Hi33 is exact for |k| < 2^20
	ln2Lo33 = 1.90821492927058770002e-10 // the rest
)

// Log returns the natural logarithm: -Inf for 0, NaN below. Its error is below
// 2 units in the last place.
func Log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, k := math.Frexp(x) // m in [1/2, 1)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	f := m - 1
	return float64(float64(k)*ln2Hi33) + (f - (atanhRest(f) - float64(float64(k)*ln2Lo33)))
}

// LogTo sets dst[j] = Log(src[j]) for the elements of src, which dst must not share.
func LogTo(dst, src []float64) {
	dst = dst[:len(src)]
	logTo(dst, src)
	for j, x := range src {
		if !(x >= 0x1p-1022 && x <= math.MaxFloat64) {
			dst[j] = Log(x)
		}
	}
}

// Log1p returns log(1+x) without losing x when it is small: -Inf for -1, NaN
// below.
func Log1p(x float64) float64 {
	switch {
	case x > -0.29 && x < 0.5:
		return x - atanhRest(x)
	case x != x || x > 1e300:
		return Log(x)
	}
	u := 1 + x
	if u <= 0 {
		return Log(u)
	}
	return Log(u) + ((x - (u - 1)) / u) // the part of x that 1+x rounded away
}

// atanhRest returns f - log(1+f) for -1/3 <= f <= 1/2.
func atanhRest(f float64) float64 {
	s := f / (f + 2)
	z := s * s
	z2 := z * z
	z4 := z2 * z2
	a := math.FMA(math.FMA(2./9, z, 2./7), z2, math.FMA(2./5, z, 2./3))
	b := math.FMA(math.FMA(2./17, z, 2./15), z2, math.FMA(2./13, z, 2./11))
	c := math.FMA(2./23, z2, math.FMA(2./21, z, 2./19))
	p := math.FMA(c, z4*z4, math.FMA(b, z4, a))
	return float64(s * math.FMA(p, -z, f))
}

// Softplus returns log(1+e^x) = max(x, 0) + log(1+e^-|x|), with an error below 2
// units in the last place (while e^x is a normal number).
func Softplus(x float64) float64 {
	f, kHi, kLo := Exp(-math.Abs(x)), 0.0, 0.0
	if f >= 0.5 { // 1+f = 2 (1 + (f-1)/2)
		f, kHi, kLo = float64((f-1)*0.5), ln2Hi33, ln2Lo33
	}
	positive := 0.0
	if x > 0 {
		positive = x
	}
	return positive + ((f - (atanhRest(f) - kLo)) + kHi)
}

// Entropy returns -x log x - (1-x) log(1-x), the entropy in nats of a coin that
// falls on one side with probability x, with an error below 4 units in the last
// place (while x and 1-x are 0 or normal numbers); 0 outside of [0, 1].
func Entropy(x float64) float64 {
	t := 1 - x // the smaller of the two, without error
	if x < t {
		t = x
	}
	if t < 0 {
		t = 0
	}
	less := float64(t * Log(max(t, 0x1p-1022))) // 0 log 0 is 0
	rest := 1 - t
	f, kHi, kLo := 0-t, 0.0, 0.0
	if !(t < 0.25) { // 1-t = (1 + (1-2t))/2
		f, kHi, kLo = 1-(t+t), -ln2Hi33, -ln2Lo33
	}
	return (0 - less) - float64(rest*((f-(atanhRest(f)-kLo))+kHi))
}

// EntropyTo sets dst[j] = Entropy(src[j]) for the elements of src; the two may
// be the same slice.
func EntropyTo(dst, src []float64) { entropyTo(dst[:len(src)], src) }

// SoftplusTo sets dst[j] = Softplus(src[j]) for the elements of src; the two
// may be the same slice.
func SoftplusTo(dst, src []float64) { softplusTo(dst[:len(src)], src) }
