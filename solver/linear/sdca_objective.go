package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

var (
	_ solver.Present = (*sdca)(nil)
	_ solver.Aware   = (*sdca)(nil)
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

// Estimate returns about the relative gap at the last epoch, from what its
// visits met on the way: the mean of the rows' parts of the gap. It is no
// bound, and costs nothing next to a certificate.
func (s *sdca) Estimate() float64 {
	if s.proximal != nil {
		return s.proximal.estimate()
	}
	gap, dual := s.rowGap, s.dual()
	if s.face != nil { // of the gap twice as much may be left as of the residual
		gap = float64(gap * 2 * s.face.left())
	}
	if s.better = s.best != nil && s.primal-dual < 1.01*gap; s.better {
		gap = s.primal - dual
	}
	return problem.Relative(dual+gap, dual, s.p.Zero())
}

// Present reports whether the last estimate is that of weights kept, follows a face at work, or
// is the gap itself, as proximal knows it.
func (s *sdca) Present() bool { return s.proximal != nil || s.better || s.face != nil }

// Objectives returns those of the last point where its primal was computed. The dual is
// not known where a free bias leaves the dual variables to be balanced, nor with steps that
// say to second order only how the conjugates rise.
func (s *sdca) Objectives() (primal, dual, zero float64, known bool) {
	if s.proximal != nil || s.p.Bias == problem.Free || !s.exact || math.IsNaN(s.lastPrimal) {
		return 0, 0, 0, false
	}
	return s.lastPrimal, s.dual(), s.p.Zero(), true
}

// dual returns about the dual objective, as the steps left it. Where a copy of u is the
// same it reads that one: this core has it for itself, and a line of u that two have
// read is expensive to write (see fetch).
func (s *sdca) dual() float64 {
	u := s.u
	if !s.stale {
		u = s.part[0].u
	}
	_, conjugate := s.p.Penalty.Conjugate(u[:s.p.Penalised()])
	return -s.conjugate/s.p.N - float64(s.p.Lambda*conjugate)
}
