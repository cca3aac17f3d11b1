package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

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

// Report holds about the relative gap at the last epoch, from what its visits met on the way:
// the mean of the rows' parts of the gap. It is that of the point where this is made of weights
// kept, follows a face at work, or is the gap itself, as proximal knows it.
//
// The objectives are those of the last point where its primal was computed. The dual is
// not known where a free bias leaves the dual variables to be balanced, nor with steps that
// say to second order only how the conjugates rise.
func (s *sdca) Report() solver.Report {
	if s.proximal != nil {
		return solver.Report{Gap: s.proximal.estimate(), Exact: true}
	}
	dual := s.dual()
	r := solver.Report{Gap: s.estimate(dual)}
	r.Exact = s.better || s.face != nil
	if s.exact && s.p.Bias != problem.Free && !math.IsNaN(s.lastPrimal) {
		r.Objectives = &solver.Objectives{Primal: s.lastPrimal, Dual: dual, Zero: s.p.Zero()}
	}
	return r
}

// estimate returns about the relative gap, with about the dual objective.
func (s *sdca) estimate(dual float64) float64 {
	gap := s.rowGap
	if s.face != nil { // of the gap twice as much may be left as of the residual
		gap = float64(gap * 2 * s.face.left())
	}
	if s.better = s.best != nil && s.primal-dual < 1.01*gap; s.better {
		gap = s.primal - dual
	}
	return problem.Relative(dual+gap, dual, s.p.Zero())
}
