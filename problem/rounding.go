package problem

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A bound on rounding errors has two parts. One is relative, some units of what was
// added up; the other is absolute, for results too small for a normal number, which
// lose up to all their digits. Every number that enters a certificate stays in a range,
// see [least], in which the absolute part is nothing beside an objective of ordinary size.

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// tiny is more than a product or quotient loses where it underflows. Sums lose nothing.
const tiny = 0x1p-1074

// underflowOf returns count*tiny, what so many products may lose, without the multiplication: one that ends below the
// normal numbers takes the processor a hundred times as long.
func underflowOf(count float64) float64 { return math.Float64frombits(uint64(count)) }

// lost is more than the value of a loss, a conjugate or a kernel loses where it, or a
// step of its evaluation, underflows: exp returns 0 where it is no normal number.
const lost = 0x1p-1020

// negligible is the size below which a dual variable, times its weight, is taken for 0:
// what is left of a product near it after rounding is still a number.
const negligible = 0x1p-960

// negligibleBits are those of negligible.
const negligibleBits = (1023 - 960) << 52

// Row weights, radius and average slack lie from least to most, lambda and lambda N from
// leastLambda to mostLambda: their products and quotients are normal numbers, so that an
// absolute error stays small when it is multiplied by them. The objective of the zero
// point is at least leastObjective, unless it is 0.
const (
	least, most             = 1e-150, 1e150
	leastLambda, mostLambda = 1e-200, 1e200
	leastObjective          = 1e-280
)

// norm returns |v|, also where the squares underflow or overflow.
func norm(v []float64) float64 {
	if squared := vec.SquaredNorm64(v); squared > leastObjective && squared <= math.MaxFloat64 {
		return math.Sqrt(squared)
	}
	largest := largestOf(v)
	if largest == 0 || !(largest <= math.MaxFloat64) {
		return largest
	}
	scaled := make([]float64, len(v))
	exponent := scaleTo(scaled, v, largest)
	return math.Ldexp(math.Sqrt(vec.SquaredNorm64(scaled)), exponent)
}

// largestOf returns the largest magnitude, NaN if there is one.
func largestOf(v []float64) float64 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}

// scaleTo sets dst to v/2^exponent, in which the largest magnitude is from 1 to 2. All
// that is not far below it is exact.
func scaleTo(dst, v []float64, largest float64) (exponent int) {
	if largest > 0 {
		exponent = math.Ilogb(largest)
	}
	for i, x := range v {
		dst[i] = math.Ldexp(x, -exponent)
	}
	return exponent
}

// below gives the certificate a lower bound: the value of the dual without what both
// values may be off by rounding. What is no number proves nothing, and neither does
// what is above the objective: then a rounding error was larger than its bound, or the
// problem is not convex.
func (c *Certificate) below(dual, rounding float64) {
	c.Rounding += rounding
	switch d := dual - c.Rounding; {
	case math.IsNaN(d) || math.IsInf(d, 1):
	case d > c.Primal:
		c.Warnings = append(c.Warnings, fmt.Errorf("the lower bound %g was found above the objective %g: an error of the program, nothing is proved", d, c.Primal))
	default:
		c.Dual = d
	}
}
