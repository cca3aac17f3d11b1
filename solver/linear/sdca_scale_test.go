package linear

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestScaling: where dual variables are small the factor helps, and a fifth more
// or less of it is not better by much; where they are not it is 1.
func TestScaling(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := slow(loss.Hinge{}, bias, 2)
		p.Lambda = 1e-4
		s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
		for range 10 {
			s.Epoch()
		}
		primal := func(t float64) float64 {
			w := slices.Clone(s.u)
			for j := range w {
				w[j] *= t
			}
			value, _ := p.Primal(w)
			return value
		}
		best, w, least, share := stretched(s)
		if !(primal(best) < primal(1)) || share >= 1 || math.Abs(least-primal(best)) > 1e-12*least {
			t.Errorf("%v: %g times the weights make the primal %g, said to be %g, of %g; share %g", bias, best, primal(best), least, primal(1), share)
		}
		for j, u := range s.u {
			if w[j] != best*u {
				t.Fatalf("%v: weight %d is %g, not %g times %g", bias, j, w[j], best, u)
			}
		}
		for _, other := range []float64{1 + (best-1)*0.8, 1 + (best-1)*1.2} {
			if primal(other) < primal(best)-0.02*(primal(1)-primal(best)) {
				t.Errorf("%v: %g times the weights are better than %g times", bias, other, best)
			}
		}
		if w := s.Point().W; w[0] != best*s.u[0] {
			t.Errorf("%v: the point is not scaled", bias)
		}
	}
	p := documents(loss.Hinge{}, problem.None, 2)
	s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
	s.Epoch()
	got, _, _, _ := stretched(s)
	if m := s.meanFree(); m <= 0.2 || got != 1 {
		t.Errorf("scaled by %g; free rows have %g on average, expected more than 0.2", got, m)
	}
}

// stretched returns the best length of the weights, the weights in it, the primal
// there, and the share of the gap that is left.
func stretched(s *sdca) (t float64, w []float64, primal, share float64) {
	prediction := make([]float64, len(s.a))
	s.p.Predict(prediction, s.u)
	w = slices.Clone(s.u)
	t = s.scaling(prediction, s.p.Penalty.Value(s.u[:s.p.Penalised()]))
	primal, share = s.stretch(w, prediction)
	return t, w, primal, share
}
