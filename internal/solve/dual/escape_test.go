package dual

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestFollowWakes: a row that rests on its bound is woken where a face led to
// weights at which it would leave, and no other.
func TestFollowWakes(t *testing.T) {
	p := slow(loss.Hinge{}, problem.None, 2)
	s := eager(p)
	f := s.newFace()
	for i := range s.wake {
		s.wake[i] = s.epoch + 9
	}
	s.follow(f) // no steps: the weights are u
	prediction := make([]float64, len(s.a))
	p.Predict(prediction, s.u)
	woken := 0
	for i, a := range s.a {
		short := 1 - p.Y[i]*prediction[i]
		want := a == 0 && short > 0 || a == -p.Y[i] && short < 0
		if want {
			woken++
		}
		if (s.wake[i] == 0) != want {
			t.Errorf("row %d with a = %g, %g short of the corner: wakes at %d", i, a, short, s.wake[i])
		}
	}
	if woken == 0 {
		t.Error("no row was woken: nothing is tested")
	}
}

// TestFollowKeepsTheBest: weights that a face led to give way to better ones only, and
// the estimate takes their primal while it is the lower one.
func TestFollowKeepsTheBest(t *testing.T) {
	s := eager(slow(loss.Hinge{}, problem.None, 2))
	f := s.newFace()
	s.follow(f)
	found := s.primal
	for _, c := range []struct{ known, want float64 }{{found - 1, found - 1}, {found + 1, found}} {
		s.primal = c.known
		if s.follow(f); s.primal != c.want {
			t.Errorf("%g, then found %g: the best is said to be %g", c.known, found, s.primal)
		}
	}
	s.primal = math.Inf(1)
	alone := s.Report().Gap
	s.primal = s.dual() + 1e-9
	if led := s.Report().Gap; !(led < alone) || math.IsInf(alone, 1) {
		t.Errorf("estimates %g without and %g with better weights", alone, led)
	}
}

// TestFaceLeads: the weights that a face led to have the primal that is said of
// them, no worse than that of the dual variables' own when none leaves its domain,
// and are returned while they are the better ones.
func TestFaceLeads(t *testing.T) {
	eachFlat(func(name string, problemOf func(int) *problem.Linear) {
		p := problemOf(2)
		s, better := eager(p), 0
		for range 60 {
			working := s.face != nil
			s.Epoch()
			if s.best == nil || !working || s.face != nil {
				continue
			}
			lead, bound := p.Primal(s.best)
			if math.Abs(lead-s.primal) > 1e-12*lead+bound {
				t.Fatalf("%s: the primal is %.17g, said to be %.17g", name, lead, s.primal)
			}
			own, _ := p.Primal(s.u)
			if lead <= own+bound {
				better++
			}
			point := s.Point()
			if got, _ := p.Primal(point.W); got > min(own, lead)+1e-12*own {
				t.Errorf("%s: the point has the primal %g, its own weights %g, those that the face led to %g", name, got, own, lead)
			}
		}
		if better == 0 {
			t.Errorf("%s: no face led to better weights: nothing is tested", name)
		}
	})
}

// TestWatchNearGoal: proximal takes over where faces stay slow, but not where the goal is as near
// as they came on.
func TestWatchNearGoal(t *testing.T) {
	for _, c := range []struct {
		near, left float64 // the estimate in goals, and the gap left of the window's
		want       bool
	}{{3, 0.4, true}, {3, 0.3, false}, {1.1, 0.99, true}, {1.1, 0.9, false}, {30, 0.1, false}} {
		s := SDCA{}.Start(documents(loss.Hinge{}, problem.None, 1), solver.Start{Seed: 3}).(*sdca)
		for range 8 {
			s.Epoch()
		}
		s.goal = s.Report().Gap / c.near
		s.slow, s.epoch, s.mark = 8, 8+faceTrial*faceWindow, s.rowGap/c.left
		if s.watch(); (s.proximal != nil) != c.want {
			t.Errorf("%g times the goal, %g left: proximal takes over: %v", c.near, c.left, s.proximal != nil)
		}
	}
}
