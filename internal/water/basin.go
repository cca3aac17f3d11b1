package water

import (
	"math"
	"slices"
)

// basin is a set of rows and their heights, in the order of the search. After
// it the first sure ones are covered, and so are as many of the tied ones next to
// them as make it covered in all.
type basin struct {
	floor               float64 // taken off the heights
	height              []float64
	row                 []int32
	covered, sure, tied int
	sieve
}

// lower takes the lowest height off all, so that a tiny volume is not lost
// among them.
func (b *basin) lower() {
	if len(b.height) == 0 {
		return
	}
	b.floor = lowest(b.height)
	for i := range b.height {
		b.height[i] -= b.floor
	}
}

// A reach says whether water that covers count rows with that sum of heights
// stands at the level or below it. It is monotone in the level.
type reach func(level float64, count int, sum float64) bool

// cover finds the rows that are covered, and returns the sum of their heights.
// If there are none, as without any water, the lowest ones are.
func (b *basin) cover(reached reach) (sum float64) {
	n := len(b.height)
	lo, hi := b.strain()
	k, sum := b.coverIn(lo, hi, reached)
	if b.missed(k == lo && lo > 0 || k == hi && hi < n) {
		lo = 0
		k, sum = b.coverIn(0, n, reached)
	}
	if k == 0 && n > 0 {
		low := lowest(b.height)
		_, k = b.split(0, n, low)
		sum = float64(low * float64(k))
	}
	if k > lo {
		b.aim(slices.Max(b.height[lo:k]))
	}
	b.covered, b.sure, b.tied = k, k, 0
	return sum
}

// coverIn finds how many rows are covered if all before lo are and none from hi
// on. A pivot splits those between.
func (b *basin) coverIn(lo, hi int, reached reach) (k int, sum float64) {
	sum = total(b.height[:lo])
	for lo < hi {
		pivot := b.pivot(lo, hi)
		below, above := b.split(lo, hi, pivot)
		more := total(b.height[lo:below])
		if reached(pivot, below, sum+more) {
			hi = below
		} else {
			sum += more + float64(pivot*float64(above-below))
			lo = above
		}
	}
	return lo, sum
}

// brink returns the highest height that is covered and the lowest that is not,
// which are the same where rows are tied.
func (b *basin) brink() (high, next float64) {
	high = b.height[b.sure] // of the tied ones
	if rest := b.height[b.sure+b.tied:]; b.sure+b.tied > b.covered {
		return high, high
	} else if len(rest) > 0 {
		return high, lowest(rest)
	}
	return high, math.Inf(1)
}

// tie covers k rows, of which the highest may be level with others. It and those
// are in [lo,hi), or after the end of all that is lower.
func (b *basin) tie(k, lo, hi int) {
	if k <= lo {
		lo, hi = 0, len(b.row)
	}
	high := slices.Max(b.height[lo:k])
	below, above := b.split(lo, hi, high)
	b.covered, b.sure, b.tied = k, below, above-below
	b.aim(high)
}

// window puts the rows with numbers from to to, by height, there, if those in
// [lo,hi) are already above those before and below those after.
func (b *basin) window(lo, hi, from, to int) {
	if from > lo {
		b.place(lo, hi, from)
	}
	if to < hi {
		b.place(from, hi, to-1)
	}
}

// place puts the row that is number k by height there, and the lower ones before
// it, if all in [lo,hi) are already above those before and below those after.
func (b *basin) place(lo, hi, k int) {
	for hi-lo > 1 {
		below, above := b.split(lo, hi, b.pivot(lo, hi))
		switch {
		case k < below:
			hi = below
		case k >= above:
			lo = above
		default:
			return
		}
	}
}

// pivot returns the median of three heights in [lo,hi).
func (b *basin) pivot(lo, hi int) float64 {
	x, y, z := b.height[lo], b.height[(lo+hi)/2], b.height[hi-1]
	return max(min(x, y), min(max(x, y), z))
}

// split orders [lo,hi) into heights below, at and above the pivot. Three ways,
// as at first all heights are the same.
func (b *basin) split(lo, hi int, pivot float64) (below, above int) {
	below, above = lo, hi
	for i := lo; i < above; {
		switch h := b.height[i]; {
		case h < pivot:
			b.swap(i, below)
			below++
			i++
		case h > pivot:
			above--
			b.swap(i, above)
		default:
			i++
		}
	}
	return below, above
}

func (b *basin) swap(i, j int) {
	b.height[i], b.height[j] = b.height[j], b.height[i]
	b.row[i], b.row[j] = b.row[j], b.row[i]
}

// lowest is slices.Min without its care for NaN, which takes most of its time.
func lowest(v []float64) float64 {
	least := v[0]
	for _, x := range v {
		if x < least {
			least = x
		}
	}
	return least
}

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
