package adversary

import (
	"math"
	"math/big"
)

// Numbers of the judge have so many bits: sums of terms whose sizes differ by
// 1e100 are still good to 1e-50.
const precision = 512

type number = *big.Float

func zero() number             { return new(big.Float).SetPrec(precision) }
func num(x float64) number     { return zero().SetFloat64(x) }
func mul(x, y number) number   { return zero().Mul(x, y) }
func quo(x, y number) number   { return zero().Quo(x, y) }
func neg(x number) number      { return zero().Neg(x) }
func abs(x number) number      { return zero().Abs(x) }
func square(x number) number   { return mul(x, x) }
func half(x number) number     { return mul(x, num(0.5)) }
func less(x, y number) bool    { return x.Cmp(y) < 0 }
func float(x number) float64   { f, _ := x.Float64(); return f }
func isFinite(x float64) bool  { return !math.IsNaN(x) && !math.IsInf(x, 0) }
func describe(x number) string { return x.Text('g', 25) }
func largest(x, y number) number {
	if less(x, y) {
		return y
	}
	return x
}

func least(x, y number) number {
	if less(y, x) {
		return y
	}
	return x
}

// add returns x+y. Package big would make room for all bits between two numbers of
// very different size: the smaller one is then left out.
func add(x, y number) number {
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
	return zero().Add(x, y)
}

func sub(x, y number) number { return add(x, neg(y)) }

// sqrt returns the root of x, 0 where x is negative.
func sqrt(x number) number {
	if x.Sign() <= 0 {
		return zero()
	}
	return zero().Sqrt(x)
}

// exp returns e^x for x below 1e8; what is below e^-4000 is 0, as no double is as small. The argument is
// halved until the series is short, and the result squared as often.
func exp(x number) number {
	if x.Sign() == 0 {
		return num(1)
	}
	if less(x, num(-4000)) {
		return zero()
	}
	halvings := max(0, x.MantExp(nil)+32)
	const wide = precision + 128
	r := new(big.Float).SetPrec(wide).SetMantExp(new(big.Float).SetPrec(wide).Set(x), -halvings)
	sum, term := new(big.Float).SetPrec(wide).SetInt64(1), new(big.Float).SetPrec(wide).SetInt64(1)
	for k := int64(1); k <= 24; k++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetPrec(wide).SetInt64(k))
		sum = add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return zero().Set(sum)
}

// log returns the logarithm of x > 0, by Halley's method from a double.
func log(x number) number {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	y := num(math.Log(float(mantissa)) + float64(exponent)*math.Ln2)
	for range 5 {
		e := exp(y)
		y = add(y, mul(num(2), quo(sub(x, e), add(x, e))))
	}
	return y
}

// log1p returns log(1+t), t > -1, with an error that is small beside the result.
func log1p(t number) number {
	if t.Sign() == 0 {
		return zero()
	}
	if t.MantExp(nil) > -150 {
		return log(add(num(1), t))
	}
	return sub(t, sub(half(square(t)), quo(mul(square(t), t), num(3))))
}

// sum adds up numbers.
func sum(of []number) number {
	total := zero()
	for _, x := range of {
		total = add(total, x)
	}
	return total
}

// dot returns sum_i x_i y_i.
func dot(x, y []number) number {
	total := zero()
	for i := range x {
		total = add(total, mul(x[i], y[i]))
	}
	return total
}

// nums widens doubles.
func nums(x []float64) []number {
	wide := make([]number, len(x))
	for i, v := range x {
		wide[i] = num(v)
	}
	return wide
}
