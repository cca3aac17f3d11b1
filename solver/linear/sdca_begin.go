package linear

import (
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// addConjugates sums the conjugates of the rows.
func (s *sdca) addConjugates() {
	s.conjugate, _ = sumRows(s.p, func(lo, hi int) (sum, _ float64) {
		var conjugate [blockRows]float64
		loss.ConjugateTo(s.p.Loss, conjugate[:hi-lo], s.a[lo:hi], s.p.Y[lo:hi])
		for i, c := range conjugate[:hi-lo] {
			sum += float64(s.p.S[lo+i] * c)
		}
		return sum, 0
	})
}

// beginning makes a step of smoothed, if that is how the run begins, and takes
// its dual variables over when it is done; its weights stay in reserve, as those to which
// a face led: their primal may be far below that of the weights that belong to these.
func (s *sdca) beginning() bool {
	if s.begin == nil {
		return false
	}
	if s.begin.step(); s.begin.done() {
		s.begin.finish()
		point := s.begin.point()
		s.resume(&point)
		s.addConjugates()
		s.stale = true
		s.lead, s.primal = slices.Clone(point.W), s.begin.primal()
		s.begin = nil
	}
	return true
}

// resume takes over the dual variables of a point; the weights follow.
func (s *sdca) resume(from *problem.Point) {
	_, d := s.p.Dims()
	u, sum := dualWeights(s.p, s.a, from.A)
	copy(s.u, u)
	s.sum = sum
	switch s.p.Bias {
	case problem.Feature:
		s.u[d] = -s.factor * s.sum
	case problem.Free:
		if len(from.W) == d+1 {
			s.u[d] = from.W[d]
		}
	}
}
