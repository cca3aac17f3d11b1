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

// A method works instead of epochs for a while, on a point of its own.
type method interface {
	step()
	passes() float64 // of single rows over the data that take as long as the last step
	done() bool      // this is as far as it goes
	finish()         // called once then
	point() problem.Point
	primal() float64   // of its weights
	estimate() float64 // of the relative gap
}

var (
	_ method = (*smoothed)(nil)
	_ method = (*proximal)(nil)
)

// workOtherwise makes a step of another method, if one is at work, and takes
// its dual variables over when it is done; its weights stay in reserve, as those to which
// a face led: their primal may be far below that of the weights that belong to these.
func (s *sdca) workOtherwise() bool {
	if s.other == nil {
		return false
	}
	if s.other.step(); s.other.done() {
		s.other.finish()
		point := s.other.point()
		s.resume(&point)
		s.addConjugates()
		s.stale = true
		s.lead, s.primal = slices.Clone(point.W), s.other.primal()
		s.other = nil
	}
	return true
}

// reserve keeps the weights of the point where the run starts, as those to which a face led:
// they need not be those that belong to its dual variables.
func (s *sdca) reserve(w []float64) {
	_, d := s.p.Dims()
	if len(w) != d+1 || s.p.Bias == problem.None && w[d] != 0 {
		return
	}
	s.lead = slices.Clone(w)
	s.primal, _ = s.p.Primal(w)
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
