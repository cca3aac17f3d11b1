package nu

import (
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
)

// heed makes the run ask over on the way.
func (s *nu) heed(over support.Limit) { s.limit, s.inside.Limit = over, over }

// rowsOfPoint counts the coefficients of the point. As long as not all rows are in play its
// dual variables lack a part of their sums, which the certificate gives to any rows.
func (s *nu) rowsOfPoint() (all, spared int) {
	state := s
	for state.below != nil {
		state = state.below
	}
	if all, spared = support.Nonzeros(state.beta); state.partial() || state != s {
		all += len(s.r)
	}
	return all, spared
}

// partial reports whether not all rows are in play.
func (s *nu) partial() bool { return s.below != nil || s.order != nil }

// spare returns the point, without its dual variables if they would cost too much, as long as
// not all rows are in play.
func (s *nu) spare() problem.Point {
	if s.support != nil && s.support.Spare && s.partial() {
		return problem.Point{W: s.pt.W}
	}
	return s.pt
}
