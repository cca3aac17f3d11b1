package linear

import "github.com/fenchel-ml/fenchel/loss"

// faces decides when SDCA works on a face instead of its epochs.
type faces struct {
	face  *face   // being solved; nil: none
	wait  int     // epochs between two, 0: not yet worth it
	pause int     // epochs until the next
	mark  float64 // rowGap at the end of the last window
}

const (
	faceWindow = 40 // epochs after which SDCA is asked how fast it is
	faceWait   = 2  // epochs between two faces
	faceRest   = 64 // at most
)

// flat reports whether the conjugate is y a on its domain.
func flat(l loss.Loss) bool {
	switch l.(type) {
	case loss.Hinge, loss.Absolute:
		return true
	}
	return false
}

// watch notes how fast the gap falls: when forty epochs do not take nine tenths
// off it, faces are worth their time.
func (s *sdca) watch() {
	s.pause--
	if s.wait > 0 || s.epoch%faceWindow != 0 || s.separate() || !flat(s.p.Loss) {
		return
	}
	if s.mark > 0 && s.rowGap > 0.1*s.mark {
		s.wait, s.pause = faceWait, 0
	}
	s.mark = s.rowGap
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

// leaveFace takes what was found so far.
func (s *sdca) leaveFace() {
	f := s.face
	s.face = nil
	raised := f.apply()
	switch {
	case !raised:
		s.wait = min(2*s.wait, faceRest)
	case f.solved:
		s.wait = faceWait
	case f.steps <= 1:
		s.wait = min(s.wait+2, faceRest)
	}
	if raised {
		s.rowGap *= f.left()
	}
	s.pause = s.wait
}
