package nu

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// pairs is the problem of a working set: all that it needs, in one place. Parts are
// signed here, x of the first side and -x of the second: a side is then a dual
// problem of which the sum is fixed, with the slope t_i inside of the bounds, and both
// share the responses.
type pairs struct {
	dual.Dual
	x      []float64
	t      []float64
	sides  [2]dual.Dual // the parts of either
	first  int          // how many are those of the first
	square []float64
}

// begin copies what belongs to the parts of the set.
func (b *pairs) begin(s *nu) {
	q := len(s.set)
	b.Make(q)
	b.x, b.t = b.Beta, slices.Grow(b.t[:0], q)[:q]
	b.first = 0
	s.rows = s.rows[:0]
	for k, v := range s.set {
		b.x[k], b.Hi[k] = s.x[v.side][v.row], s.cap[v.side][v.row]
		if v.side == 1 {
			b.x[k], b.Lo[k], b.Hi[k] = -b.x[k], -b.Hi[k], 0
		} else {
			b.first++
		}
		b.C[k] = 1
		b.t[k], b.R[k] = s.p.Targets[v.row], s.r[v.row]
		s.rows = append(s.rows, v.row)
		b.retarget(k)
	}
	if whole := q == s.parts(); !whole || len(b.square) != q*q { // else as it was: all parts in order
		b.square = slices.Grow(b.square[:0], q*q)[:q*q]
		s.p.Square(b.square, s.rows)
	}
	for k := range s.set {
		b.K[k] = b.row(k)[k]
	}
	copy(b.Own, b.K)
	b.sides = [2]dual.Dual{b.cut(0, b.first), b.cut(b.first, q)}
}

// cut returns the parts from lo to hi. What is done to them is done to those here.
func (b *pairs) cut(lo, hi int) dual.Dual {
	return dual.Dual{R: b.R[lo:hi], Up: b.Up[lo:hi], Low: b.Low[lo:hi], K: b.K[lo:hi], Own: b.Own[lo:hi], C: b.C[lo:hi]}
}

func (b *pairs) row(k int) []float64 { q := len(b.R); return b.square[k*q : (k+1)*q] }

// retarget says which ways a part may go.
func (b *pairs) retarget(k int) {
	b.Up[k], b.Low[k] = b.t[k], b.t[k]
	if b.x[k] >= b.Hi[k] {
		b.Up[k] = math.Inf(-1)
	}
	if b.x[k] <= b.Lo[k] {
		b.Low[k] = math.Inf(1)
	}
}

// solve goes on until the violation is that share of what it was. A few parts may
// violate the condition by much more than all others: a thorough solution takes as many
// steps as there are parts at least, unless the violation falls to a tenth of that.
func (b *pairs) solve(leave float64) {
	first := math.NaN()
	for step := range 10 * len(b.x) {
		if step%1024 == 1023 && b.Limit.Reached() {
			return
		}
		i, j, violation := b.choose()
		if step == 0 {
			first = leave * violation
		}
		thorough := step >= len(b.x) || leave > leastLeave
		if j < 0 || violation <= first && thorough || violation <= 0.1*first {
			return
		}
		b.move(i, j)
	}
}

// choose returns the part of the side that violates its condition most for which
// growing pays most, and the one that gains most with it (Fan, Chen, Lin 2005).
func (b *pairs) choose() (i, j int, violation float64) {
	i, at := -1, 0
	for side := range b.sides {
		d := &b.sides[side]
		if up, down := d.Extremes(); up >= 0 {
			if v := d.Up[up] - d.R[up] - (d.Low[down] - d.R[down]); v > violation {
				i, at, violation = up, side, v
			}
		}
	}
	if i < 0 {
		return -1, -1, 0
	}
	before := at * b.first
	if j = b.sides[at].Partner(i, b.row(before + i)[before:]); j >= 0 {
		j += before
	}
	return before + i, j, violation
}

// move makes the step of a pair. What reaches an end gets its exact value.
func (b *pairs) move(i, j int) {
	row, other := b.row(i), b.row(j)
	slope := b.Up[i] - b.R[i] - (b.Low[j] - b.R[j])
	room, rest := b.Hi[i]-b.x[i], b.x[j]-b.Lo[j]
	b.Negative = min(b.Negative, b.RawCurvature(i, j, row[j]))
	d := min(slope/max(b.K[i]+b.K[j]-2*row[j], dual.LeastCurvature), room, rest)
	if b.x[i] += d; d == room {
		b.x[i] = b.Hi[i]
	}
	if b.x[j] -= d; d == rest {
		b.x[j] = b.Lo[j]
	}
	b.retarget(i)
	b.retarget(j)
	vec.Axpy64(b.R, d, row)
	vec.Axpy64(b.R, -d, other)
}
