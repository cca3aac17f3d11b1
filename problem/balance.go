package problem

import (
	"math"
	"math/bits"
)

// balance shrinks the heavier sign of v until the numbers sum to exactly zero,
// as numbers, not as floating-point numbers: a free bias makes the dual minus
// infinity otherwise. No number grows or changes sign.
//
// All are rounded towards zero to multiples of one quantum, fine enough to lose
// nothing that matters and coarse enough for their sum to fit 62 bits; from
// there on everything is integer arithmetic.
func balance(v []float64) {
	total, largest := 0.0, 0.0
	for _, x := range v {
		total += math.Abs(x)
		largest = math.Max(largest, math.Abs(x))
	}
	if total == 0 {
		return
	}
	if math.IsInf(total, 1) { // nothing can be saved: zero is always feasible
		clear(v)
		return
	}
	quantum := max(math.Ilogb(total)-61, math.Ilogb(largest)-52, -1022)
	units := make([]int64, len(v))
	var plus, minus uint64
	for i, x := range v {
		units[i] = int64(math.Ldexp(x, -quantum))
		if units[i] > 0 {
			plus += uint64(units[i])
		} else {
			minus += uint64(-units[i])
		}
	}
	shrink(units, plus, minus)
	for i, t := range units {
		v[i] = math.Ldexp(float64(t), quantum)
	}
}

// shrink multiplies the units of the heavier sign by lighter/heavier, rounding
// towards zero, and gives what the rounding took too much back to the first
// units that it shrank.
func shrink(units []int64, plus, minus uint64) {
	sign, heavy, light := int64(1), plus, minus
	if plus < minus {
		sign, heavy, light = -1, minus, plus
	}
	if heavy == light {
		return
	}
	short := light // how much is still missing
	shrunk := make([]bool, len(units))
	for i, t := range units {
		if t*sign <= 0 {
			continue
		}
		hi, lo := bits.Mul64(uint64(t*sign), light)
		quotient, rest := bits.Div64(hi, lo, heavy)
		shrunk[i] = rest != 0
		short -= quotient
		units[i] = sign * int64(quotient)
	}
	for i := 0; short > 0; i++ {
		if shrunk[i] {
			units[i] += sign
			short--
		}
	}
}
