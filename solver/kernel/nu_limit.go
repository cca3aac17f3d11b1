package kernel

import "github.com/fenchel-ml/fenchel/problem"

// Heed makes the run ask over on the way.
func (s *nu) Heed(over func() bool) {
	s.limit, s.inside.limit = over, over
	if s.below != nil {
		s.below.Heed(over)
	}
}

// Support counts the coefficients of the point. As long as not all rows are in play its
// dual variables lack a part of their sums, which the certificate gives to any rows.
func (s *nu) Support() (all, spared int) {
	state := s
	for state.below != nil {
		state = state.below
	}
	if all, spared = nonzeros(state.beta); state.partial() || state != s {
		all += len(s.r)
	}
	return all, spared
}

// partial reports whether not all rows are in play.
func (s *nu) partial() bool { return s.below != nil || s.order != nil }

// Spare leaves out the dual variables as long as not all rows are in play.
func (s *nu) Spare() { s.sparse = true }

// spare returns the point, without its dual variables if they would cost too much.
func (s *nu) spare() problem.Point {
	if s.sparse && s.partial() {
		return problem.Point{W: s.pt.W}
	}
	return s.pt
}
