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
	quantum := max(math.Ilogb(total)-61, math.Ilogb(largest)-52, -1022)
	plus, minus := count(v, math.Ldexp(1, -quantum), threads)
	// Multiples of the quantum have at most 53 bits: they are numbers again.
	shrink(v, plus, minus, math.Ldexp(1, quantum), threads)
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

// count turns the numbers into whole ones, times scale and rounded towards
// zero, and adds up those of either sign.
func count(v []float64, scale float64, threads int) (plus, minus uint64) {
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

// shrink multiplies the units of the heavier sign by lighter/heavier, rounding
// towards zero, gives what the rounding took too much back to the first units
// that it shrank, and multiplies all by the quantum.
func shrink(units []float64, plus, minus uint64, quantum float64, threads int) {
	sign, heavy, light := 1.0, plus, minus
	if plus < minus {
		sign, heavy, light = -1, minus, plus
	}
	rounded := make([]bool, len(units)) // down
	kept := make([]uint64, blocksOf(len(units)))
	parallel.Blocks(len(units), blockRows, threads, func(b, lo, hi int) {
		for i := lo; i < hi && heavy != light; i++ {
			if t := units[i] * sign; t > 0 {
				high, low := bits.Mul64(uint64(t), light)
				quotient, rest := bits.Div64(high, low, heavy)
				rounded[i] = rest != 0
				kept[b] += quotient
				units[i] = sign * float64(quotient)
			}
		}
	})
	if heavy != light {
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
	parallel.Blocks(len(units), blockRows, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			units[i] *= quantum
		}
	})
}
