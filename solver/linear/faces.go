package linear

import "github.com/fenchel-ml/fenchel/loss"

// faces decides when SDCA works on a face instead of its epochs. Epochs between two
// find the rows of the next. Without any, one of nearly equal rows is put back alone, and
// the residual is many times as large.
type faces struct {
	face    *face       // being solved; nil: none
	wait    int         // epochs between two, 0: not yet worth it
	pause   int         // epochs until the next
	mark    float64     // rowGap at the end of the last window
	slow    uint32      // epoch at the end of the last window since epochs are slow; 0: they are not
	respite float64     // epochs until proximal may take over
	lead    []float64   // the best weights that a face led to, in the best length; nil: none yet
	primal  float64     // there
	led     bool        // the estimate is of these
	used    [][]float64 // by earlier faces: vectors as long as u
}

const (
	faceWindow = 8  // epochs after which SDCA is asked how fast it is
	faceWait   = 4  // epochs between two
	faceRest   = 64 // at most

	faceTrial     = 3 // windows in which faces are tried
	faceTrialLeft = 0.125
)

// flat reports whether the conjugate is y a on its domain.
func flat(l loss.Loss) bool {
	switch l.(type) {
	case loss.Hinge, loss.Absolute:
		return true
	}
	return false
}

// watch notes how fast the gap falls: when eight epochs leave more than half of it,
// faces are worth their time, with l2. The first waits until all rows were seen again. When
// three times as many then leave more than an eighth of it, and as many more would not reach
// the goal, proximal takes over; where it ends before the goal, epochs go on for as much work
// as it did, and then it may again.
func (s *sdca) watch() {
	s.pause--
	s.respite--
	_, cornered := s.p.Loss.(loss.Cornered)
	if s.epoch%faceWindow != 0 || !cornered {
		return
	}
	switch {
	case s.slow > 0 && s.epoch-s.slow < faceTrial*faceWindow:
	case s.slow > 0:
		if !ablated.has(withoutProximal) && s.respite <= 0 && s.rowGap > faceTrialLeft*s.mark && s.estimate(s.dual())*s.rowGap > s.goal*s.mark {
			s.other = newProximal(s)
		}
		s.slow, s.mark = s.epoch, s.rowGap
	default:
		if s.mark > 0 && s.rowGap > 0.5*s.mark {
			s.slow = s.epoch
			if flat(s.p.Loss) && !s.separate() && !ablated.has(withoutFaces) {
				s.wait, s.pause = faceWait, faceWait
				clear(s.wake)
			}
		}
		s.mark = s.rowGap
	}
}

// workOnFace does an epoch's work on a face, if it is time for one.
func (s *sdca) workOnFace() bool {
	if s.face == nil {
		if s.wait == 0 || s.pause > 0 {
			return false
		}
		s.pause = s.wait
		if s.face = s.newFace(); s.face == nil {
			s.wait = min(2*s.wait, faceRest)
			return false
		}
	}
	if !s.face.advance() {
		s.leaveFace()
	}
	return true
}

// vector returns one as long as u, with whatever an earlier face left in it: new ones
// for every face cost a tenth of the time.
func (s *sdca) vector() []float64 {
	if last := len(s.used) - 1; last >= 0 {
		v := s.used[last]
		s.used = s.used[:last]
		return v
	}
	return make([]float64, len(s.u))
}

// leaveFace takes what was found so far. The gap is then that of the weights where
// the face leads, until the next epoch meets another.
func (s *sdca) leaveFace() {
	f := s.face
	s.face = nil
	primal := s.follow(f)
	defer func() { s.used = append(append(s.used, f.ur, f.ukp), f.part...) }()
	if f.apply() {
		s.rowGap = (primal - s.dual()) / s.slack
		s.wait = faceWait
	} else {
		s.wait = min(2*s.wait, faceRest)
	}
	s.pause = s.wait
}

// follow keeps the weights where a face leads if they are the best so far, and
// wakes the rows that would leave their bound there. It returns the primal there.
func (s *sdca) follow(f *face) (primal float64) {
	w, prediction := make([]float64, len(s.u)), make([]float64, len(s.a))
	f.lead(w)
	s.p.Predict(prediction, w)
	for i, a := range s.a {
		if s.wake[i] > s.epoch && !s.inside(s.p.Y[i], a) && s.leaves(i, prediction[i]) {
			s.wake[i] = 0
		}
	}
	if primal, _ = s.stretch(w, prediction); s.lead == nil || primal < s.primal {
		s.lead, s.primal = w, primal
	}
	return primal
}

// leaves reports whether a step of row i at the prediction p would leave the end
// of the domain where its dual variable is.
func (s *sdca) leaves(i int, p float64) bool {
	after, _, _ := s.step(s.a[i], p, s.p.S[i]*s.factor*(s.p.SquaredNorm[i]+s.beta), s.p.Y[i])
	return after != s.a[i]
}
