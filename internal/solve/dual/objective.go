package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// addConjugates sums the conjugates of the rows.
func (s *sdca) addConjugates() {
	s.conjugate, _ = parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		var conjugate [parts.BlockRows]float64
		loss.ConjugateTo(s.p.Loss, conjugate[:hi-lo], s.a[lo:hi], s.p.Y[lo:hi])
		for i, c := range conjugate[:hi-lo] {
			sum += float64(s.p.S[lo+i] * c)
		}
		return sum, 0
	})
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
