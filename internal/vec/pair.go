package vec

import "math"

// The two choices of a step that moves a pair of coordinates: which to increase
// and which to decrease. Elements l, l+8, l+16, ... are compared in lane l, in
// order, and then the lanes. The first of equals is chosen, and NaN never.

// Extremes returns where up[k]-r[k] is largest and where low[k]-r[k] is least, for
// k below len(r); -1 where nothing is above -Inf, or below +Inf.
func Extremes(up, low, r []float64) (most, least int) {
	var l extremeLanes
	for k := range l.at[0] {
		l.best[0][k], l.best[1][k], l.at[0][k], l.at[1][k] = math.Inf(-1), math.Inf(1), -1, -1
	}
	up, low = up[:len(r)], low[:len(r)]
	l.portable(up, low, r, extremes(&l, up, low, r))
	return l.merge()
}

// extremeLanes is the largest and the least so far, and where they are.
type extremeLanes struct {
	best [2][8]float64
	at   [2][8]int64
}

// portable goes on from an element that belongs to lane 0.
func (l *extremeLanes) portable(up, low, r []float64, from int) {
	for k := from; k < len(r); k++ {
		lane := k % 8
		if h := up[k] - r[k]; h > l.best[0][lane] {
			l.best[0][lane], l.at[0][lane] = h, int64(k)
		}
		if h := low[k] - r[k]; h < l.best[1][lane] {
			l.best[1][lane], l.at[1][lane] = h, int64(k)
		}
	}
}

func (l *extremeLanes) merge() (most, least int) {
	first := func(at []int64, i, j int) bool { return at[i] >= 0 && (at[j] < 0 || at[i] < at[j]) }
	i, j := 0, 0
	for k := range l.at[0] {
		top, bottom := &l.best[0], &l.best[1]
		if top[k] > top[i] || top[k] == top[i] && first(l.at[0][:], k, i) {
			i = k
		}
		if bottom[k] < bottom[j] || bottom[k] == bottom[j] && first(l.at[1][:], k, j) {
			j = k
		}
	}
	return int(l.at[0][i]), int(l.at[1][j])
}

// Partner returns the k below len(r) with the largest d^2/c, where
//
//	d = h - (low[k]-r[k]) > 0,   c = max(floor, (diagonal+own[k]) - 2*row[k]):
//
// what is gained by a step that increases a coordinate of slope h and curvature
// diagonal, and decreases coordinate k. It is -1 where no d is above 0. Fractions
// are compared without a division.
func Partner(h, diagonal, floor float64, low, r, own, row []float64) int {
	var l partnerLanes
	for k := range l.at {
		l.best[1][k], l.at[k] = 1, -1
	}
	low, own, row = low[:len(r)], own[:len(r)], row[:len(r)]
	l.portable(h, diagonal, floor, low, r, own, row, partner(&l, h, diagonal, floor, low, r, own, row))
	return l.merge()
}

// partnerLanes is the best d^2 and c so far, and where they are.
type partnerLanes struct {
	best [2][8]float64
	at   [8]int64
}

// portable goes on from an element that belongs to lane 0.
func (l *partnerLanes) portable(h, diagonal, floor float64, low, r, own, row []float64, from int) {
	for k := from; k < len(r); k++ {
		if d := h - (low[k] - r[k]); d > 0 {
			c := (diagonal + own[k]) - 2*row[k]
			if !(c > floor) {
				c = floor
			}
			l.offer(k%8, d*d, c, int64(k))
		}
	}
}

func (l *partnerLanes) offer(lane int, square, c float64, at int64) {
	if float64(square*l.best[1][lane]) > float64(l.best[0][lane]*c) {
		l.best[0][lane], l.best[1][lane], l.at[lane] = square, c, at
	}
}

// merge takes the first of equal rows, as a lane does.
func (l *partnerLanes) merge() int {
	best := 0
	for k := 1; k < len(l.at); k++ {
		ours, theirs := float64(l.best[0][k]*l.best[1][best]), float64(l.best[0][best]*l.best[1][k])
		if ours > theirs || ours == theirs && l.at[k] >= 0 && (l.at[best] < 0 || l.at[k] < l.at[best]) {
			best = k
		}
	}
	return int(l.at[best])
}
