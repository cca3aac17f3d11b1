package linear

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestForesight: the gap of the slopes foreseen is the one that is certified, and far below
// that of the slopes found where lambda is small.
func TestForesight(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := generate(loss.Logistic{}, "l2", bias, 3000, 12, true)
		p.Lambda = 1e-6
		s := newCurved(p, loss.Logistic{}, &problem.Point{W: make([]float64, 13)})
		best := math.Inf(1) // of a gap foreseen, against that of the slopes found
		for epoch := range 12 {
			s.Epoch()
			estimate := s.Report().Gap
			if estimate < 1e-6 {
				break
			}
			gap := p.Certify(s.Point()).Relative()
			if estimate == s.foresight.gap {
				best = min(best, gap/p.Certify(problem.Point{W: s.w, A: s.a}).Relative())
			}
			if again := s.Report().Gap; again != estimate {
				t.Errorf("bias %v, epoch %d: asked again the estimate is %g, not %g", bias, epoch, again, estimate)
			}
			if bias != problem.Free && !(math.Abs(gap-estimate) <= 1e-3*estimate) {
				t.Errorf("bias %v, epoch %d: estimate %g of the relative gap %g", bias, epoch, estimate, gap)
			}
		}
		if !(best < 0.1) {
			t.Errorf("bias %v: the best gap foreseen is %g of that of the slopes found", bias, best)
		}
	}
}

// TestStaleFactorForeseesNothing: a step by the factor of another place leaves an unknown part
// of the equation.
func TestStaleFactorForeseesNothing(t *testing.T) {
	p := generate(loss.Logistic{}, "l2", problem.None, 3000, 12, true)
	s := newCurved(p, loss.Logistic{}, &problem.Point{W: make([]float64, 13)})
	s.Epoch()
	if s.Report(); math.IsInf(s.foresight.gap, 1) {
		t.Error("nothing foreseen with a factor of this place")
	}
	s.cheap, s.drop, s.length = false, 1e300, 1
	s.Epoch()
	if s.Report(); !math.IsInf(s.foresight.gap, 1) {
		t.Errorf("a factor of another place foresees a gap of %g", s.foresight.gap)
	}
}
