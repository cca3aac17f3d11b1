package linear

import "math"

// save keeps the weights as those that were settled last, to which smoothed may come
// back: where it is lost on its way with centred steps, SDCA would get nowhere from its w.
func (s *smoothed) save() { s.safe, s.safeTau = append(s.safe[:0], s.w...), s.tau }

// retreat goes back to the weights that were settled last.
func (s *smoothed) retreat() {
	copy(s.w, s.safe)
	s.tau, s.since, s.best = s.safeTau, 0, math.Inf(1)
	s.survey()
}

// finish goes back to them too, if it ends in the middle of a width.
func (s *smoothed) finish() {
	if s.safe != nil && !s.centred && !s.settled() {
		s.retreat()
	}
}
