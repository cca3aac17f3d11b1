package vec

import "math"

// The exponential and the logarithm, the same bits on every machine. Both
// reduce the argument exactly (Cody and Waite) and sum a power series on the
// small rest; their error is below 2 units in the last place.

const (
	ln2Hi = 6.93147180369123816490e-01 // ln 2 to 33 bits: k*ln2Hi is exact for |k| < 2^20
	ln2Lo = 1.90821492927058770002e-10 // the rest
	log2E = 1.44269504088896338700e+00
)

// Exp returns e^x: +Inf above 709.78, 0 below -745.13, NaN for NaN.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 709.782712893384:
		return math.Inf(1)
	case x < -745.1332191019412:
		return 0
	}
	k := math.Floor(float64(x*log2E) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo // |r| <= ln(2)/2

	// e^r = 1 + r + r^2 (1/2! + r/3! + ... + r^11/13!); the first term left
	// out is below 2^-58.
	p := 1.0 / 6227020800
	for _, c := range [...]float64{
		1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
		1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5,
	} {
		p = float64(p*r) + c
	}
	tail := float64(float64(r*r)*p) - lo
	return scale(1+(hi+tail), int(k))
}

// scale returns x times 2^k for x near 1, in two steps where 2^k itself would
// leave the normal numbers.
func scale(x float64, k int) float64 {
	if k > 1000 {
		return x * power2(k-1000) * power2(1000)
	}
	if k < -1000 {
		return x * power2(k+1000) * power2(-1000)
	}
	return x * power2(k)
}

// power2 returns 2^k for |k| <= 1022.
func power2(k int) float64 { return math.Float64frombits(uint64(1023+k) << 52) }

// Log returns the natural logarithm: -Inf for 0, NaN below.
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
	return logNearOne(m-1, float64(k))
}

// Log1p returns log(1+x) without losing x when it is small: -Inf for -1, NaN
// below.
func Log1p(x float64) float64 {
	switch {
	case x > -0.29 && x < 0.41:
		return logNearOne(x, 0)
	case x != x || x > 1e300:
		return Log(x)
	}
	u := 1 + x
	if u <= 0 {
		return Log(u)
	}
	return Log(u) + ((x - (u - 1)) / u) // the part of x that 1+x rounded away
}

// logNearOne returns log(1+f) + k ln 2 for 1+f between sqrt(1/2) and sqrt(2).
// With s = f/(2+f), log(1+f) = 2 atanh(s) = 2s + s*(2/3 s^2 + 2/5 s^4 + ...),
// |s| < 0.1716; and 2s = f - s*f keeps the leading term exact.
func logNearOne(f, k float64) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	p := 2.0 / 23
	for _, c := range [...]float64{2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3} {
		p = float64(p*z) + c
	}
	rest := float64(s * (f - float64(z*p))) // log(1+f) = f - rest
	if k == 0 {
		return f - rest
	}
	return float64(k*ln2Hi) - ((rest - float64(k*ln2Lo)) - f)
}
