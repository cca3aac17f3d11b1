package dual

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// escape decides what SDCA does where its epochs are slow, for losses with corners: solve for
// the free rows at once (face.go), and where that does not help the method of multipliers
// (proximal.go). It keeps the best weights that these find: their primal may be far below that of
// the weights that belong to the dual variables.
//
// Epochs between two faces find the rows of the next. Without any, one of nearly equal rows
// is put back alone, and the residual is many times as large.
type escape struct {
	face     *face       // being solved; nil: none
	proximal *proximal   // at work instead of epochs; nil: epochs
	wait     int         // epochs between two faces, 0: not yet worth it
	pause    int         // epochs until the next
	mark     float64     // rowGap at the end of the last window
	slow     uint32      // epoch at the end of the last window since epochs are slow; 0: they are not
	respite  float64     // epochs until proximal may take over
	best     []float64   // the best weights that a face led to, or proximal found; nil: none yet
	primal   float64     // there
	better   bool        // the estimate is of these
	used     [][]float64 // by earlier faces: vectors as long as u
}

const (
	faceWindow = 8 // epochs after which SDCA is asked how fast it is
	faceWait   = 4 // epochs between two

	faceTrial     = 3 // windows in which faces are tried
	faceTrialLeft = 0.125
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

// flat reports whether the conjugate is y a on its domain: the loss has one corner, at the target.
func flat(l loss.Loss) bool {
	c, ok := l.(loss.Cornered)
	if !ok {
		return false
	}
	_, ramps := c.Ramps(1)
	return ramps[0].At == 1 && ramps[0].Width == 0 && ramps[1].Jump == 0 && l.Value(1, 1) == 0
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

// workOnFace does an epoch's work on a face, if it is time for one.
func (s *sdca) workOnFace() bool {
	if s.face == nil {
		if s.wait == 0 || s.pause > 0 {
			return false
		}
		s.pause = s.wait
		if s.face = s.newFace(); s.face == nil {
			s.wait = min(2*s.wait, longestRest)
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
		s.rowGap = primal - s.dual()
		s.wait = faceWait
	} else {
		s.wait = min(2*s.wait, longestRest)
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
	if primal = s.primalOf(w, prediction); s.best == nil || primal < s.primal {
		s.best, s.primal = w, primal
	}
	return primal
}

// leaves reports whether a step of row i at the prediction p would leave the end
// of the domain where its dual variable is.
func (s *sdca) leaves(i int, p float64) bool {
	after, _, _ := s.step(s.a[i], p, s.p.S[i]*s.factor*(s.p.SquaredNorm[i]+s.beta), s.p.Y[i])
	return after != s.a[i]
}

// keep keeps weights w from which the run starts.
func (s *sdca) keep(w []float64) {
	_, d := s.p.Dims()
	if len(w) != d+1 || s.p.Bias == problem.None && w[d] != 0 {
		return
	}
	s.best = slices.Clone(w)
	s.primal, _ = s.p.Primal(w)
}

// Point returns the weights that belong to the dual variables, or the best found otherwise,
// whichever have the lesser primal.
func (s *sdca) Point() problem.Point {
	s.lastPrimal = math.NaN()
	if s.proximal != nil {
		return s.proximal.point()
	}
	if s.face != nil { // which goes on: the dual variables are far ahead of the weights
		s.follow(s.face)
	}
	w := s.w
	if s.separate() {
		d := len(s.u) - 1
		s.penalty.Weights(s.w[:d], s.u[:d])
		s.w[d] = s.bias()
	}
	switch {
	case s.best != nil && (s.better || s.face != nil): // the primal of w would be a pass over all rows
		w, s.lastPrimal = s.best, s.primal
	case s.best != nil || s.asked: // the first point of a run is often its last
		if s.prediction == nil {
			s.prediction = make([]float64, len(s.a))
		}
		s.p.Predict(s.prediction, w)
		if s.lastPrimal = s.primalOf(w, s.prediction); s.best != nil && s.primal < s.lastPrimal {
			w, s.lastPrimal = s.best, s.primal
		}
	}
	s.asked = true
	return problem.Point{W: w, A: s.a}
}

// primalOf returns the primal of weights with the given predictions.
func (s *sdca) primalOf(w, prediction []float64) float64 {
	losses, _ := parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			sum += float64(s.p.S[i] * s.p.Loss.Value(prediction[i], s.p.Y[i]))
		}
		return sum, 0
	})
	return losses/s.p.N + float64(s.p.Lambda*s.p.Penalty.Value(w[:s.p.Penalised()]))
}
