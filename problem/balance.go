package problem

import (
	"math"
	"math/bits"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// balance shrinks the heavier sign of v until the numbers sum to exactly zero,
// as numbers, not as floating-point numbers: a free bias makes the dual minus
// infinity otherwise. No number grows or changes sign.
//
// All are rounded towards zero to multiples of one quantum, fine enough to lose
// nothing that matters and coarse enough for their sum to fit 62 bits; from
// there on everything is integer arithmetic, of which the order does not matter.
func balance(v []float64, threads int) {
	total, largest := sizeOf(v, threads)
	if total == 0 {
		return
	}
	if math.IsInf(total, 1) { // nothing can be saved: zero is always feasible
		clear(v)
		return
	}
	quantum := quantumOf(total, largest)
	plus, minus := count(v, quantum, threads)
	// Multiples of the quantum have at most 53 bits: they are numbers again.
	switch {
	case plus > minus:
		shrink(v, 1, plus, minus, threads)
	case plus < minus:
		shrink(v, -1, minus, plus, threads)
	}
	multiply(v, math.Ldexp(1, quantum), threads)
}

// quantumOf returns the exponent of the quantum of numbers of that sum of magnitudes and largest one.
func quantumOf(total, largest float64) int {
	return max(math.Ilogb(total)-61, math.Ilogb(largest)-52, -1022)
}

// sizeOf returns the sum of the magnitudes and the largest.
func sizeOf(v []float64, threads int) (total, largest float64) {
	most := make([]float64, blocksOf(len(v)))
	total = sumBlocks(len(v), threads, func(b, lo, hi int) (sum float64) {
		for _, x := range v[lo:hi] {
			sum += math.Abs(x)
			most[b] = max(most[b], math.Abs(x))
		}
		return sum
	})
	for _, x := range most {
		largest = max(largest, x)
	}
	return total, largest
}

// count turns the numbers into multiples of a quantum, 2 to that power, rounded towards
// zero, and adds up those of either sign.
func count(v []float64, quantum, threads int) (plus, minus uint64) {
	scale := math.Ldexp(1, -quantum)
	sums := make([][2]uint64, blocksOf(len(v)))
	parallel.Blocks(len(v), blockRows, threads, func(b, lo, hi int) {
		var plus, minus uint64
		for i := lo; i < hi; i++ {
			units := int64(v[i] * scale)
			v[i] = float64(units)
			if units > 0 {
				plus += uint64(units)
			} else {
				minus += uint64(-units)
			}
		}
		sums[b] = [2]uint64{plus, minus}
	})
	for _, s := range sums {
		plus, minus = plus+s[0], minus+s[1]
	}
	return plus, minus
}

// shrink multiplies the units of one sign, whose sum is heavy, by light/heavy, rounding
// towards zero, and gives what the rounding took too much back to the first units
// that it shrank: their sum is then light.
func shrink(units []float64, sign float64, heavy, light uint64, threads int) {
	rounded := make([]bool, len(units)) // down
	kept := make([]uint64, blocksOf(len(units)))
	parallel.Blocks(len(units), blockRows, threads, func(b, lo, hi int) {
		for i := lo; i < hi; i++ {
			if t := units[i] * sign; t > 0 {
				high, low := bits.Mul64(uint64(t), light)
				quotient, rest := bits.Div64(high, low, heavy)
				rounded[i] = rest != 0
				kept[b] += quotient
				units[i] = sign * float64(quotient)
			}
		}
	})
	short := light
	for _, k := range kept {
		short -= k
	}
	for i := 0; short > 0; i++ {
		if rounded[i] {
			units[i] += sign
			short--
		}
	}
}

// multiply multiplies all numbers.
func multiply(v []float64, by float64, threads int) {
	parallel.Blocks(len(v), blockRows, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v[i] *= by
		}
	})
}
