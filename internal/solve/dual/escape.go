package dual

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// watch notes how fast the gap falls: when eight epochs leave more than half of it,
// faces are worth their time, with l2. The first waits until all rows were seen again. When
// three times as many then leave more than an eighth of it, and as many more would not reach
// the goal, proximal takes over; where it ends before the goal, epochs go on for as much work
// as it did, and then it may again.
func (s *sdca) watch() {
	s.pause--
	s.respite--
	if s.epoch%faceWindow != 0 || !suitsProximal(s.p) {
		return
	}
	switch {
	case s.slow > 0 && s.epoch-s.slow < faceTrial*faceWindow:
	case s.slow > 0:
		if !parts.Ablated.Has(parts.WithoutProximal) && s.respite <= 0 && s.rowGap > faceTrialLeft*s.mark && s.estimate(s.dual())*s.rowGap > s.goal*s.mark {
			s.proximal = newProximal(s)
		}
		s.slow, s.mark = s.epoch, s.rowGap
	default:
		if s.mark > 0 && s.rowGap > 0.5*s.mark {
			s.slow = s.epoch
			if flat(s.p.Loss) && !s.separate() && !parts.Ablated.Has(parts.WithoutFaces) {
				s.wait, s.pause = faceWait, faceWait
				clear(s.wake)
			}
		}
		s.mark = s.rowGap
	}
}

// stepProximal makes a step of proximal. When that is done, epochs go on from its dual
// variables.
func (s *sdca) stepProximal() {
	m := s.proximal
	if m.step(); !m.done() {
		return
	}
	s.respite = m.spent
	point := m.point()
	s.resume(&point)
	s.addConjugates()
	s.stale = true
	s.best, s.primal = slices.Clone(point.W), m.primal()
	s.proximal = nil
}

// newProximal begins at the dual variables of s.
func newProximal(s *sdca) *proximal {
	n, d := s.p.Dims()
	_, ramps := s.p.Loss.(loss.Cornered).Ramps(1)
	p, corner := newPenaltyCorner(s.p, s.u)
	w := s.u
	if s.separate() {
		w = s.Point().W
	}
	m := &proximal{p: p, corner: corner, dual: s.step, width: proximalWidth * s.p.Zero(), ramp: ramps[0].Width,
		w: slices.Clone(w), g: make([]float64, d+1), d: make([]float64, d+1),
		prediction: make([]float64, n), along: make([]float64, n),
		centre: slices.Clone(s.a), a: make([]float64, n), v: make([]float64, n),
		middle: parts.MiddleOf(p), active: newActiveRows(p), conjugate: hessian.NewConjugate(p), progress: progress{mark: math.Inf(1)}, goal: s.goal}
	m.conjugate.Over = s.over
	m.best = problem.Point{W: slices.Clone(w), A: slices.Clone(s.a)}
	m.upper, m.lower = math.Inf(1), s.dual()
	if s.p.Bias == problem.Free { // the sum of s.a is not 0 yet
		m.lower = math.Inf(-1)
	}
	if s.best != nil {
		m.best.W, m.upper = slices.Clone(s.best), s.primal
	}
	m.p.Predict(m.prediction, m.w)
	m.look()
	return m
}
