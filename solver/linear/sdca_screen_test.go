package linear

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// woken returns a run of a few epochs in which so many rows, the last ones, slept and
// wake now. The others are awake, or sleep.
func woken(bias problem.Bias, threads, slept int, awake bool) *sdca {
	p := documents(loss.Hinge{}, bias, threads)
	s := SDCA{Partitions: 1}.Start(p, solver.Start{Seed: 3}).(*sdca)
	for range 6 {
		s.Epoch()
	}
	s.spare, s.rowGap = 0.05*s.rowGap, 0
	p.Nonzeros = shortRow * int64(len(s.a)) // as if rows were short
	for i := range s.wake {
		s.calm[i], s.wake[i] = 0, 0
		if i >= len(s.wake)-slept {
			s.calm[i] = s.calmVisits + 1
		} else if !awake {
			s.wake[i] = s.epoch + 1
		}
	}
	return s
}

// TestScreen: of rows that slept those sleep on that a visit at the weights would leave
// alone, and count in the gap; all others that are awake are visited.
func TestScreen(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		for _, threads := range []int{1, 3} {
			const n, slept = 4000, 3000
			s, twin := woken(bias, threads, slept, true), woken(bias, 1, slept, true)
			s.arrange()
			visited := make([]bool, n)
			for _, i := range s.rows {
				visited[i] = true
			}
			gaps, kept := 0.0, 0
			for i, before := range twin.a {
				want := i < n-slept
				if !want {
					last := len(twin.u) - 1
					p := twin.p.X.Row(i).Dot(twin.u[:last]) + twin.u[last]
					q := twin.factor / overRelaxed * (twin.p.SquaredNorm[i] + twin.beta)
					after, gap, _ := hingeStep(before, p, q, twin.p.Y[i])
					if want = after != before && !(gap < twin.spare && twin.inside(twin.p.Y[i], after)); want {
						kept++
					} else {
						gaps += gap
					}
				}
				if visited[i] != want {
					t.Fatalf("%v: row %d visited: %v, want %v", bias, i, visited[i], want)
				}
				if asleep := s.wake[i] >= s.epoch+4; asleep == want {
					t.Fatalf("%v: row %d sleeps: %v, want %v", bias, i, asleep, !want)
				}
			}
			if math.Abs(s.rowGap-gaps) > 1e-12*gaps || gaps == 0 || kept == 0 || kept == slept {
				t.Errorf("%v: a gap of %g in rows that sleep on, want %g; %d of %d were kept", bias, s.rowGap, gaps, kept, slept)
			}
		}
	}
}

// TestWakeTogether: rows are screened where two thirds of all wake that slept.
func TestWakeTogether(t *testing.T) {
	for _, c := range []struct {
		slept int
		awake bool // the others
		want  bool
	}{{2700, true, true}, {2700, false, true}, {2600, true, false}, {2600, false, false}, {0, true, false}} {
		s := woken(problem.None, 1, c.slept, c.awake)
		s.active = make([]uint32, len(s.a))
		s.listAwake()
		if got := s.wakeTogether(); got != c.want {
			t.Errorf("%d of 4000 slept, others awake: %v: together is %v", c.slept, c.awake, got)
		}
		s.p.Nonzeros++
		if s.wakeTogether() {
			t.Error("rows are long, and screened")
		}
	}
	p := documents(loss.Hinge{}, problem.None, 1)
	p.Penalty = penalty.ElasticNet{Ratio: 0.5}
	s := SDCA{}.Start(p, solver.Start{Seed: 3}).(*sdca)
	s.arrange()
	for i := range s.calm {
		s.calm[i] = s.calmVisits + 1
	}
	if s.wakeTogether() {
		t.Error("predictions by u are not those by the weights of elastic-net")
	}
}
