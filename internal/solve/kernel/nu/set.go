package nu

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
)

// choose fills the working set with the parts that violate the condition most: of
// each side those that should grow and as many that should shrink. If it holds all
// parts it takes them, in order. Those of the first side stand first.
func (s *nu) choose() {
	s.widen()
	s.set = s.set[:0]
	if s.parts() <= s.q {
		s.all()
		return
	}
	var ends [2][2]float64
	violating := 0
	for side := range ends {
		if ends[side][0], ends[side][1] = s.span(side); ends[side][0] > ends[side][1] {
			violating++
		}
	}
	for side, end := range ends {
		if end[0] > end[1] {
			s.worst(side, end[0], end[1], s.q/(2*violating))
		}
	}
}

// mostParts is how large a set becomes: its square of K takes 300 MB.
const mostParts = 6144

// widen makes sets larger than there are parts at neither end, as these only move
// together: on a9a with nu = 0.3, where 4100 are, sets of 2048 take ten times the rows
// of K that sets of 4096 take.
func (s *nu) widen() {
	inside := 0
	for side, caps := range s.cap {
		for i, x := range s.x[side] {
			if x > 0 && x < caps[i] {
				inside++
			}
		}
	}
	s.q = max(s.q, min(s.most, inside+inside/4))
}

// A round leaves between these shares of the violation of its set.
const leastLeave, mostLeave = 0.1, 0.8

// moderate chooses how far a round goes. Where few numbers tell all rows apart, as in
// the plane, the rows of a set are no picture of the others: what is solved for them
// alone is undone by the next round, and the violation of all rows stays as it was.
func (s *nu) moderate() {
	violation := s.violation()
	switch {
	case s.before == 0:
	case violation > 0.9*s.before:
		s.leave = min(mostLeave, 2*s.leave)
	default:
		s.leave = max(leastLeave, s.leave/1.5)
	}
	s.before = max(0, violation)
}

// parts counts them.
func (s *nu) parts() (count int) {
	for _, caps := range s.cap {
		for _, c := range caps {
			if c > 0 {
				count++
			}
		}
	}
	return count
}

// all takes all parts.
func (s *nu) all() {
	for side, caps := range s.cap {
		for i, c := range caps {
			if c > 0 {
				s.set = append(s.set, part{i, side})
			}
		}
	}
}

// worst takes the parts of a side that are farthest beyond its other end, so many of
// either kind.
func (s *nu) worst(side int, top, bottom float64, most int) {
	var grow, shrink dual.Worst
	grow.Reset(max(1, most))
	shrink.Reset(max(1, most))
	for i := range s.r {
		h, x := s.pay(side, i), s.x[side][i]
		if x < s.cap[side][i] && h > bottom {
			grow.Offer(i, h)
		}
		if x > 0 && h < top {
			shrink.Offer(i, -h)
		}
	}
	s.rows = dual.Union(s.rows[:0], grow.List, shrink.List)
	for _, i := range s.rows {
		s.set = append(s.set, part{i, side})
	}
}

// span returns the most that growing pays on a side, and the least.
func (s *nu) span(side int) (top, bottom float64) {
	top, bottom = math.Inf(-1), math.Inf(1)
	for i, x := range s.x[side] {
		h := s.pay(side, i)
		if x < s.cap[side][i] {
			top = max(top, h)
		}
		if x > 0 {
			bottom = min(bottom, h)
		}
	}
	return top, bottom
}

// violation returns by how much the optimality condition is missed.
func (s *nu) violation() float64 {
	worst := math.Inf(-1)
	for side := range s.x {
		top, bottom := s.span(side)
		worst = max(worst, top-bottom)
	}
	return worst
}
