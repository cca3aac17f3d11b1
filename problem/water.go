package problem

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Water solves the inner problem of the slack-constrained objective (thesis
// 2.2-2.3 and 2.5; algorithms 2.2 and 2.5, both of which are wrong in print).
//
//	f(c) = max over xi >= 0, sum xi <= volume, of min_i (c_i + xi_i)
//
// A volume of water is poured into a basin whose floor has height c_i at row i.
// It covers the k lowest rows up to a level gamma = f(c) = (volume + their
// sum)/k, the minimum of that over k. Dual to it is
//
//	f(c) = min over p in the simplex of p^T c + volume max_i p_i
//
// where the uniform p on the covered rows is optimal.
//
// A free bias b adds y_i b to the floors and is chosen for the highest level:
// there are two basins then, one for each class, and the best b covers as many
// rows of the one as of the other.
//
//	f(c) = min over k of (volume + P_k + M_k)/(2k)
//
// with the sums of the k lowest of each class. Where the last rows covered are
// level with rows that are not, p gives all of these the same part of what is
// left, which is what ties broken at random would give them.
//
// The zero Water is ready. Its methods cost O(n), expected, and reuse memory.
type Water struct {
	basins [2]basin
	used   int // basins
}

// basin is a set of rows and their heights, in the order of the search. After
// it the first sure ones are covered, and so are as many of the tied ones next to
// them as make it covered in all.
type basin struct {
	floor               float64 // taken off the heights
	height              []float64
	row                 []int32
	covered, sure, tied int
}

// Fill pours the volume over the floors c_i, or over c_i + y_i b for the best b
// if there are y. It returns the level, and the b in the middle of those that
// reach it. If one class has no rows the level is infinite.
func (w *Water) Fill(c, y []float64, volume float64) (level, bias float64) {
	reached := func(level float64, count int, sum float64) bool {
		return float64(level*float64(count))-sum >= volume
	}
	w.prepare(c, y)
	for i := range w.basins[:w.used] {
		w.basins[i].lower()
	}
	if w.used == 1 {
		sum := w.basins[0].cover(reached)
		b := &w.basins[0]
		if len(b.row) == 0 {
			return math.Inf(1), 0
		}
		return b.floor + (volume+sum)/float64(b.covered), 0
	}
	sum := w.coverBoth(reached)
	return w.levels(volume, sum)
}

// Scale covers the rows that fall short of the best scale for the predictor of
// which the c_i = y_i r_i are the margins: s w has the least objective
// s^2 a/(2 n) + (1/n) sum_i max(0, 1 - s c_i - y_i b) over s > 0, and over b if there
// are y. With the level 1/s that is where level times the sum of the covered c_i
// reaches a = n lambda |w|^2. Where no scale is positive, all is covered.
func (w *Water) Scale(c, y []float64, a float64) {
	w.prepare(c, y)
	reached := func(level float64, _ int, sum float64) bool { return level > 0 && float64(level*sum) >= a }
	if w.used == 1 {
		w.basins[0].cover(reached)
	} else {
		w.coverBoth(reached)
	}
}

// Draw draws a row from p.
func (w *Water) Draw(random *rand.Rand) int {
	b := &w.basins[0]
	if w.used == 2 {
		b = &w.basins[random.IntN(2)]
	}
	k := random.IntN(b.covered)
	if k >= b.sure {
		k = b.sure + random.IntN(b.tied)
	}
	return int(b.row[k])
}

// Covered calls do for every row that is covered, with the part of it that is:
// p is proportional to that.
func (w *Water) Covered(do func(row int, part float64)) {
	for i := range w.basins[:w.used] {
		b := &w.basins[i]
		for _, row := range b.row[:b.sure] {
			do(int(row), 1)
		}
		part := float64(b.covered-b.sure) / float64(b.tied)
		for _, row := range b.row[b.sure : b.sure+b.tied] {
			do(int(row), part)
		}
	}
}

// prepare puts the rows into one basin, or by their signs into two.
func (w *Water) prepare(c, y []float64) {
	w.used = 1
	if y != nil {
		w.used = 2
	}
	for i := range w.basins {
		b := &w.basins[i]
		b.height, b.row, b.floor = b.height[:0], b.row[:0], 0
		b.covered, b.sure, b.tied = 0, 0, 0
	}
	for i, h := range c {
		b := &w.basins[0]
		if y != nil && y[i] < 0 {
			b = &w.basins[1]
		}
		b.height, b.row = append(b.height, h), append(b.row, int32(i))
	}
}

// lower takes the lowest height off all, so that a tiny volume is not lost
// among them.
func (b *basin) lower() {
	if len(b.height) == 0 {
		return
	}
	b.floor = slices.Min(b.height)
	for i := range b.height {
		b.height[i] -= b.floor
	}
}

// A reach says whether water that covers count rows with that sum of heights
// stands at the level or below it. It is monotone in the level.
type reach func(level float64, count int, sum float64) bool

// cover finds the rows that are covered, and returns the sum of their heights.
// If there are none, as without any water, the lowest ones are.
//
// The rows in [0,lo) are known to be covered, those from hi on are not; a
// pivot splits those between.
func (b *basin) cover(reached reach) (sum float64) {
	lo, hi := 0, len(b.height)
	for lo < hi {
		pivot := b.pivot(lo, hi)
		below, above := b.split(lo, hi, pivot)
		more := 0.0
		for _, h := range b.height[lo:below] {
			more += h
		}
		if reached(pivot, below, sum+more) {
			hi = below
		} else {
			sum += more + float64(pivot*float64(above-below))
			lo = above
		}
	}
	if lo == 0 && len(b.height) > 0 {
		lowest := slices.Min(b.height)
		_, lo = b.split(0, len(b.height), lowest)
		sum = float64(lowest * float64(lo))
	}
	b.covered, b.sure, b.tied = lo, lo, 0
	return sum
}

// coverBoth covers as many rows of each basin, and returns the sum of their
// heights. The level of k rows each is that at which the k-th are level.
func (w *Water) coverBoth(reached reach) (sum float64) {
	p, m := &w.basins[0], &w.basins[1]
	lo, hi := 0, min(len(p.row), len(m.row))
	if hi == 0 {
		return 0
	}
	p.place(0, len(p.row), hi-1)
	m.place(0, len(m.row), hi-1)
	for lo < hi {
		k := (lo + hi) / 2
		p.place(lo, hi, k)
		m.place(lo, hi, k)
		more := 0.0
		for i := lo; i < k; i++ {
			more += p.height[i] + m.height[i]
		}
		if next := p.height[k] + m.height[k]; reached(next/2, 2*k, sum+more) {
			hi = k
		} else {
			sum += more + next
			lo = k + 1
		}
	}
	if lo == 0 {
		lo = 1
		sum = slices.Min(p.height) + slices.Min(m.height)
		p.place(0, len(p.row), 0)
		m.place(0, len(m.row), 0)
	}
	p.tie(lo)
	m.tie(lo)
	return sum
}

// levels returns the common level of two basins, and the bias. The sum of the
// levels of both is known; the interval in which each may lie ends where it would
// uncover the highest row covered, or reach the lowest that is not.
func (w *Water) levels(volume, sum float64) (level, bias float64) {
	p, m := &w.basins[0], &w.basins[1]
	if p.covered == 0 {
		return math.Inf(1), 0
	}
	highP, nextP := p.brink()
	highM, nextM := m.brink()
	rise := (volume+sum)/float64(p.covered) - highP - highM
	riseP, riseM := min(rise, nextP-highP), min(rise, nextM-highM)
	levelP := p.floor + (highP + (rise+riseP-riseM)/2)
	levelM := m.floor + (highM + (rise-riseP+riseM)/2)
	return (levelP + levelM) / 2, (levelM - levelP) / 2
}

// brink returns the highest height that is covered and the lowest that is not,
// which are the same where rows are tied.
func (b *basin) brink() (high, next float64) {
	high, next = slices.Max(b.height[:b.sure+b.tied]), math.Inf(1)
	if b.sure+b.tied > b.covered {
		return high, high
	}
	for _, h := range b.height[b.sure+b.tied:] {
		next = min(next, h)
	}
	return high, next
}

// tie covers k rows, of which the highest may be level with others.
func (b *basin) tie(k int) {
	below, above := b.split(0, len(b.row), slices.Max(b.height[:k]))
	b.covered, b.sure, b.tied = k, below, above-below
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
