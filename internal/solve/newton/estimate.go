package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Report holds the estimate, which is made from the predictions after the step; none where the step was one to the
// optimum.
func (s *curved) Report() solver.Report {
	if s.shared || s.whole {
		return solver.Report{Gap: math.NaN()}
	}
	gap := s.estimate()
	return solver.Report{Gap: gap, Exact: !s.modelled}
}

// estimate returns the relative gap of the weights and the slopes there, exactly
// without a free bias; or nearly that of the model, if it is smaller.
func (s *curved) estimate() float64 {
	if s.gap > 0 { // asked before
		return s.gap
	}
	s.gradient()
	if s.middle == nil {
		s.middle = parts.MiddleOf(s.p)
	}
	losses, curvature := parts.SumRows(s.p, func(lo, hi int) (x, y float64) {
		if s.p.Bias == problem.Free { // needed for no other
			for _, c := range s.c[lo:hi] {
				y += c
			}
		}
		if b, ok := s.loss.(loss.Batch); ok {
			return s.values(b, lo, hi), y
		}
		for i := lo; i < hi; i++ {
			x += float64(s.p.S[i] * s.loss.Value(s.prediction[i], s.p.Y[i]))
		}
		return x, y
	})
	s.gap = parts.RelativeGap(s.p, s.w, s.g, s.middle, losses/s.p.N, 0, biasCost(s.g, curvature))
	if s.modelled {
		gap := parts.RelativeGap(s.p, s.w, make([]float64, len(s.g)), s.middle, losses/s.p.N, s.modelDefect(), 0)
		if s.modelled = gap < s.gap; s.modelled {
			s.gap = gap
		}
	}
	return s.gap
}

// values returns the sum of the losses of rows lo to hi.
func (s *curved) values(l loss.Batch, lo, hi int) float64 {
	v, slope := make([]float64, hi-lo), make([]float64, hi-lo)
	l.ValueTo(v, slope, s.prediction[lo:hi], s.p.Y[lo:hi], slope)
	return vec.Dot64(s.p.S[lo:hi], v)
}

// biasCost returns three times what it costs to balance slopes with the gradient g, if every
// slope gives as much as it is curved.
func biasCost(g []float64, curvature float64) float64 {
	bias := g[len(g)-1]
	return 1.5 * bias * bias / max(curvature, 1e-300)
}

// Point returns the weights, and the slopes there: from predictions made
// afresh, because a sum of many steps has collected their rounding errors, unless
// the gap is far above these; or the model of these slopes.
func (s *curved) Point() problem.Point {
	if s.modelled && s.gap > 0 {
		return problem.Point{W: s.w, A: s.model}
	}
	if s.gap < fresh && !s.whole && !(s.shared && s.epochs == 0) { // of one step there is no sum
		s.p.Predict(s.prediction, s.w)
		s.slope(0)
		s.current, s.gap = false, 0
	}
	return problem.Point{W: s.w, A: s.a}
}

// fresh is the relative gap up to which predictions are made afresh, with a gradient of
// their own: two passes over the data.
const fresh = 1e-7
