// Package water solves water-filling problems over the rows, which the problems with slack and
// their solvers share.
package water

import (
	"math"
	"slices"
)

// Filling solves the inner problem of the slack-constrained objective (thesis
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
// The zero Filling is ready. Its methods cost O(n), expected, and reuse memory.
type Filling struct {
	basins [2]basin
	used   int // basins
}

// Fill pours the volume over the floors c_i, or over c_i + y_i b for the best b
// if there are y. It returns the level, and the b in the middle of those that
// reach it. If one class has no rows the level is infinite.
func (w *Filling) Fill(c, y []float64, volume float64) (level, bias float64) {
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
func (w *Filling) Scale(c, y []float64, a float64) {
	w.prepare(c, y)
	reached := func(level float64, _ int, sum float64) bool { return level > 0 && float64(level*sum) >= a }
	if w.used == 1 {
		w.basins[0].cover(reached)
	} else {
		w.coverBoth(reached)
	}
}

// Covered calls do for every row that is covered, with the part of it that is:
// p is proportional to that.
func (w *Filling) Covered(do func(row int, part float64)) {
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
func (w *Filling) prepare(c, y []float64) {
	w.used = 1
	if y != nil {
		w.used = 2
	}
	for i := range w.basins {
		b := &w.basins[i]
		b.height, b.row, b.floor = b.height[:0], b.row[:0], 0
		b.covered, b.sure, b.tied = 0, 0, 0
	}
	p, m := &w.basins[0], &w.basins[1]
	if y == nil {
		p.height, p.row = append(p.height, c...), slices.Grow(p.row, len(c))[:len(c)]
		for i := range p.row {
			p.row[i] = int32(i)
		}
		return
	}
	p.height, p.row = slices.Grow(p.height, len(c))[:len(c)], slices.Grow(p.row, len(c))[:len(c)]
	m.height, m.row = slices.Grow(m.height, len(c))[:len(c)], slices.Grow(m.row, len(c))[:len(c)]
	up, down := 0, 0
	for i, h := range c { // without a branch, which nobody could predict
		p.height[up], p.row[up] = h, int32(i)
		m.height[down], m.row[down] = h, int32(i)
		negative := int(math.Float64bits(y[i]) >> 63)
		up, down = up+1-negative, down+negative
	}
	p.height, p.row, m.height, m.row = p.height[:up], p.row[:up], m.height[:down], m.row[:down]
}

// coverBoth covers as many rows of each basin, and returns the sum of their
// heights.
func (w *Filling) coverBoth(reached reach) (sum float64) {
	p, m := &w.basins[0], &w.basins[1]
	most := min(len(p.row), len(m.row))
	if most == 0 {
		return 0
	}
	loP, hiP := p.strain()
	loM, hiM := m.strain()
	lo, hi := max(loP, loM), min(hiP, hiM)
	k := lo
	if lo < hi {
		p.window(loP, hiP, lo, hi)
		m.window(loM, hiM, lo, hi)
		k, sum = w.coverBothIn(lo, hi, reached)
	}
	missed := k == lo && lo > 0 || k >= hi && hi < most
	if again, too := p.missed(missed), m.missed(missed); again || too {
		loP, hiP, loM, hiM = 0, len(p.row), 0, len(m.row)
		p.window(loP, hiP, 0, most)
		m.window(loM, hiM, 0, most)
		k, sum = w.coverBothIn(0, most, reached)
	}
	if k == 0 {
		k = 1
		sum = lowest(p.height) + lowest(m.height)
		p.place(0, len(p.row), 0)
		m.place(0, len(m.row), 0)
		loP, hiP, loM, hiM = 0, len(p.row), 0, len(m.row)
	}
	p.tie(k, loP, hiP)
	m.tie(k, loM, hiM)
	return sum
}

// coverBothIn finds how many rows of each basin are covered if all before lo
// are and none from hi on. The level of k rows each is that at which the k-th are
// level.
func (w *Filling) coverBothIn(lo, hi int, reached reach) (k int, sum float64) {
	p, m := &w.basins[0], &w.basins[1]
	sum = total(p.height[:lo]) + total(m.height[:lo])
	for lo < hi {
		k := (lo + hi) / 2
		p.place(lo, hi, k)
		m.place(lo, hi, k)
		more := total(p.height[lo:k]) + total(m.height[lo:k])
		if next := p.height[k] + m.height[k]; reached(next/2, 2*k, sum+more) {
			hi = k
		} else {
			sum += more + next
			lo = k + 1
		}
	}
	return lo, sum
}

// levels returns the common level of two basins, and the bias. The sum of the
// levels of both is known; the interval in which each may lie ends where it would
// uncover the highest row covered, or reach the lowest that is not.
func (w *Filling) levels(volume, sum float64) (level, bias float64) {
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
