package water

import (
	"math"
	"sort"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Weighted is [Filling.Fill] where row i takes weights_i units of water for each unit of its height:
//
//	f(c) = max over xi >= 0, sum s_i xi_i <= volume, of min_i (c_i + xi_i)
//	     = min over p in the simplex of p^T c + volume max_i p_i/s_i
//
// Of the lowest rows of a weight t, with C(t) the sum of s_i c_i there, it is the least (volume +
// C(t))/t; with a free bias, where both classes cover the same weight, that over 2t. It costs O(n
// log n).
func Weighted(c, y, s []float64, volume float64) (level, bias float64) {
	if y == nil {
		all := newSlope(c, y, s, 0)
		for !all.done() && !(all.floor() >= level && all.covered > 0) {
			all.cover(all.left)
			level = (volume + all.sum.Value()) / all.covered
		}
		if all.covered == 0 {
			level = math.Inf(1)
		}
		return level, 0
	}
	p, m := newSlope(c, y, s, 1), newSlope(c, y, s, -1)
	for !p.done() && !m.done() && !((p.floor()+m.floor())/2 >= level && p.covered > 0) {
		more := min(p.left, m.left)
		p.cover(more)
		m.cover(more)
		level = (volume + p.sum.Value() + m.sum.Value()) / (2 * p.covered)
	}
	if p.covered == 0 {
		return math.Inf(1), 0
	}
	rise := 2*level - p.high - m.high
	riseP, riseM := min(rise, p.floor()-p.high), min(rise, m.floor()-m.high)
	return level, (m.high - p.high + riseM - riseP) / 2
}

// slope is the rows of a class from the lowest up, and how much of them is covered.
type slope struct {
	c, s    []float64
	row     []int
	left    float64 // of the lowest row that is not covered
	covered float64 // weight
	sum     vec.Sum // of s_i c_i there
	high    float64 // the highest row there
}

// newSlope takes the rows with the sign, all with 0.
func newSlope(c, y, s []float64, sign float64) *slope {
	x := &slope{c: c, s: s}
	for i := range c {
		if sign == 0 || (y[i] > 0) == (sign > 0) {
			x.row = append(x.row, i)
		}
	}
	sort.SliceStable(x.row, func(i, j int) bool { return c[x.row[i]] < c[x.row[j]] })
	if len(x.row) > 0 {
		x.left = s[x.row[0]]
	}
	return x
}

func (x *slope) done() bool { return len(x.row) == 0 }

// floor is the height of the lowest row that is not covered.
func (x *slope) floor() float64 {
	if x.done() {
		return math.Inf(1)
	}
	return x.c[x.row[0]]
}

// cover covers so much more of the lowest row.
func (x *slope) cover(weight float64) {
	x.high = x.floor()
	x.covered += weight
	x.sum.Add(weight * x.high)
	if x.left -= weight; x.left > 0 {
		return
	}
	if x.row = x.row[1:]; !x.done() {
		x.left = x.s[x.row[0]]
	}
}
