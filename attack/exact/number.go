// Package exact has losses, penalties, kernels, objectives and their duals a second
// time, in numbers of several hundred bits: what claims of the program are judged by.
// Nothing of package problem is used.
package exact

import (
	"math"
	"math/big"
)

// Numbers of the judge have so many bits: sums of terms whose sizes differ by
// 1e100 are still good to 1e-50.
const precision = 512

type Number = *big.Float

func Zero() Number             { return new(big.Float).SetPrec(precision) }
func Num(x float64) Number     { return Zero().SetFloat64(x) }
func Mul(x, y Number) Number   { return Zero().Mul(x, y) }
func Quo(x, y Number) Number   { return Zero().Quo(x, y) }
func Neg(x Number) Number      { return Zero().Neg(x) }
func Abs(x Number) Number      { return Zero().Abs(x) }
func square(x Number) Number   { return Mul(x, x) }
func half(x Number) Number     { return Mul(x, Num(0.5)) }
func Less(x, y Number) bool    { return x.Cmp(y) < 0 }
func Float(x Number) float64   { f, _ := x.Float64(); return f }
func IsFinite(x float64) bool  { return !math.IsNaN(x) && !math.IsInf(x, 0) }
func Describe(x Number) string { return x.Text('g', 25) }
func Largest(x, y Number) Number {
	if Less(x, y) {
		return y
	}
	return x
}

func least(x, y Number) Number {
	if Less(y, x) {
		return y
	}
	return x
}

// Add returns x+y. Package big would make room for all bits between two numbers of
// very different size: the smaller one is then left out.
func Add(x, y Number) Number {
	switch {
	case x.Sign() == 0:
		return y
	case y.Sign() == 0:
		return x
	}
	switch apart := x.MantExp(nil) - y.MantExp(nil); {
	case apart > 2*precision:
		return x
	case apart < -2*precision:
		return y
	}
	return Zero().Add(x, y)
}

func Sub(x, y Number) Number { return Add(x, Neg(y)) }

// sqrt returns the root of x, 0 where x is negative.
func sqrt(x Number) Number {
	if x.Sign() <= 0 {
		return Zero()
	}
	return Zero().Sqrt(x)
}

// exp returns e^x for x below 1e8; what is below e^-4000 is 0, as no double is as small. The argument is
// halved until the series is short, and the result squared as often.
func exp(x Number) Number {
	if x.Sign() == 0 {
		return Num(1)
	}
	if Less(x, Num(-4000)) {
		return Zero()
	}
	halvings := max(0, x.MantExp(nil)+32)
	const wide = precision + 128
	r := new(big.Float).SetPrec(wide).SetMantExp(new(big.Float).SetPrec(wide).Set(x), -halvings)
	sum, term := new(big.Float).SetPrec(wide).SetInt64(1), new(big.Float).SetPrec(wide).SetInt64(1)
	for k := int64(1); k <= 24; k++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetPrec(wide).SetInt64(k))
		sum = Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return Zero().Set(sum)
}

// log returns the logarithm of x > 0, by Halley's method from a double.
func log(x Number) Number {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	y := Num(math.Log(Float(mantissa)) + float64(exponent)*math.Ln2)
	for range 5 {
		e := exp(y)
		y = Add(y, Mul(Num(2), Quo(Sub(x, e), Add(x, e))))
	}
	return y
}

// log1p returns log(1+t), t > -1, with an error that is small beside the result.
func log1p(t Number) Number {
	if t.Sign() == 0 {
		return Zero()
	}
	if t.MantExp(nil) > -150 {
		return log(Add(Num(1), t))
	}
	return Sub(t, Sub(half(square(t)), Quo(Mul(square(t), t), Num(3))))
}

// sum adds up numbers.
func sum(of []Number) Number {
	total := Zero()
	for _, x := range of {
		total = Add(total, x)
	}
	return total
}

// dot returns sum_i x_i y_i.
func dot(x, y []Number) Number {
	total := Zero()
	for i := range x {
		total = Add(total, Mul(x[i], y[i]))
	}
	return total
}

// Nums widens doubles.
func Nums(x []float64) []Number {
	wide := make([]Number, len(x))
	for i, v := range x {
		wide[i] = Num(v)
	}
	return wide
}
