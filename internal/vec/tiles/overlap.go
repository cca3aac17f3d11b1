package tiles

import "math"

// Tiles of other sums over columns than products: what two rows have in common,
// which is nothing in a column where one of them is zero. All is as in
// Sparse64, but every sum is one chain of additions.

// Least64 adds up the least magnitude of two numbers of one sign, and zero
// for two of different signs.
func Least64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	checkTile(len(dst), at, len(block), width, Width64, NarrowWidth64, start, index, value)
	done := leastTile64(dst, at, block, width, slot, start, index, value)
	overlapTile(leastPortable, dst, at[done:], block, width, slot, start[done:], index, value)
}

// Harmonic64 adds up the harmonic mean 2ab/(a+b) of two numbers that are not
// negative, and zero if one is zero.
func Harmonic64(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	checkTile(len(dst), at, len(block), width, Width64, NarrowWidth64, start, index, value)
	done := harmonicTile64(dst, at, block, width, slot, start, index, value)
	overlapTile(harmonicPortable, dst, at[done:], block, width, slot, start[done:], index, value)
}

// overlapTile calls add for each element of the rows, a, and what stands in its
// column of the block.
func overlapTile(add func(sum []float64, a float64, column []float64), dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32) {
	for r, to := range at {
		sum := dst[to:][:width]
		clear(sum)
		for k := start[r]; k < start[r+1]; k++ {
			j := index[k]
			if slot != nil {
				j = slot[j]
			}
			if a := float64(value[k]); a != 0 {
				add(sum, a, block[width*int(j):][:width])
			}
		}
	}
}

// leastPortable compares numbers as integers: those that are not negative are in
// the same order, all others are below them. The compiler has moves for that, and
// only branches for floats.
func leastPortable(sum []float64, a float64, column []float64) {
	column = column[:len(sum)]
	most, sign := int64(math.Float64bits(math.Abs(a))), math.Float64bits(a)&(1<<63)
	for l, b := range column {
		same := int64(math.Float64bits(b) ^ sign)
		sum[l] += math.Float64frombits(uint64(max(0, min(most, same))))
	}
}

func harmonicPortable(sum []float64, a float64, column []float64) {
	column = column[:len(sum)]
	for l, b := range column {
		sum[l] += 2 * a * b / (a + b)
	}
}
