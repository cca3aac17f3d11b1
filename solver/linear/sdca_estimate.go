package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

var (
	_ solver.Present = (*sdca)(nil)
	_ solver.Aware   = (*sdca)(nil)
)

// Estimate returns about the relative gap at the last epoch, from what its
// visits met on the way: the mean of the rows' parts of the gap. It is no
// bound, and costs nothing next to a certificate.
func (s *sdca) Estimate() float64 {
	if s.other != nil {
		return s.other.estimate()
	}
	gap, dual := float64(s.rowGap*s.slack), s.dual()
	if s.face != nil { // of the gap twice as much may be left as of the residual
		gap = float64(gap * 2 * s.face.left())
	}
	if s.led = s.lead != nil && s.primal-dual < 1.01*gap; s.led { // the same, but for rounding, after a face
		gap = s.primal - dual
	}
	return problem.Relative(dual+gap, dual, s.p.Zero())
}

// Present reports whether the last estimate is that of weights to which a face led,
// follows one at work, or is the gap itself, as another method knows it.
func (s *sdca) Present() bool { return s.other != nil || s.led || s.face != nil }

// Objectives returns those of the last point where its predictions were computed. The dual is
// not known where a free bias leaves the dual variables to be balanced, nor with steps that
// say to second order only how the conjugates rise.
func (s *sdca) Objectives() (primal, dual, zero float64, known bool) {
	if s.other != nil || s.p.Bias == problem.Free || !s.exact || math.IsNaN(s.met) {
		return 0, 0, 0, false
	}
	return s.met, s.dual(), s.p.Zero(), true
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
