package spectral

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// windowOf is 128 differences of the given mean and variance.
func windowOf(mean, variance float64) tally {
	return tally{128, 128 * mean, 128 * (mean*mean + variance)}
}

// How many equal windows it takes until the verdict is "settled": four, or more where
// the differences vary so much that four do not tell (3 sqrt(1/127n) < 0.1 from n = 8 on).
func TestProbeSettles(t *testing.T) {
	for _, c := range []struct {
		mean, variance float64
		quiet          bool
		want           int // 0: never
	}{
		{1, 0.01, true, 4}, {0.1, 1, true, 8}, {-1, 0.01, true, 0}, {0, 1, true, 0}, {1, 0.01, false, 0},
	} {
		var p probe
		got := 0
		for n := 1; n <= 20 && got == 0; n++ {
			p.window = windowOf(c.mean, c.variance)
			p.judge(c.quiet, false)
			if p.settled() {
				got = n
			}
			if p.isStuck {
				t.Errorf("%+v: stuck after %d windows, but not all that is new is forgotten", c, n)
			}
		}
		if got != c.want {
			t.Errorf("%+v: settled after %d windows, expected %d", c, got, c.want)
		}
	}
}

// A state is stuck while something outside captures more, by three standard errors,
// and all that is new is forgotten; evidence to the contrary starts again.
func TestProbeIsStuck(t *testing.T) {
	var p probe
	for i, c := range []struct {
		mean, variance float64
		deaf, want     bool
	}{
		{-0.2, 1, true, false}, {-0.2, 1, true, true}, {-0.2, 1, false, false}, {-1, 0.01, true, true}, {1, 0.01, true, false},
	} {
		p.window = windowOf(c.mean, c.variance)
		p.judge(false, c.deaf)
		if p.isStuck != c.want {
			t.Errorf("window %d: stuck %v, expected %v", i, p.isStuck, c.want)
		}
	}
}

// What is left of the way: gap sin^2(a) / (exp(gap sum eta) - 1)^2, at most close times
// the mean |x|^2.
func TestArrived(t *testing.T) {
	for _, c := range []struct {
		moved, gap, steps float64
		want              bool
	}{
		{0.01, 0.5, 0.1, false}, // 0.005 * 19.5^2 = 1.9
		{0.01, 0.5, 20, true},   // 0.005 * 4.5e-5^2
		{0.01, 0.5, 3.4, true},  // 0.005 * 0.2235^2 = 2.498e-4
		{0.01, 0.5, 3.3, false}, // 0.005 * 0.2377^2 = 2.83e-4
		{0.01, 0, 20, false},    // nothing tells the directions apart
		{0.01, -1, 20, false},
	} {
		w := watch{steps: c.steps, squared: probeWindow}
		if got := w.arrived(c.moved, c.gap); got != c.want {
			t.Errorf("%+v: found %v", c, got)
		}
	}
}

// The cap grows by one where the state is stuck, and shrinks by one after every four
// calm windows, down to k+1.
func TestResize(t *testing.T) {
	for _, c := range []struct {
		most, calm int
		stuck      bool
		want       int
	}{{3, 0, true, 4}, {9, 0, true, 9}, {6, 4, false, 5}, {6, 3, false, 6}, {6, 8, false, 5}, {6, 0, false, 6}, {3, 4, false, 3}} {
		s := pcatest.StartOf(t, "capped-msg:cap=auto", method.Problem{Cols: 9, K: 2}).(*msg)
		s.most, s.probe.calm, s.probe.isStuck = c.most, c.calm, c.stuck
		if s.resize(); s.most != c.want {
			t.Errorf("%+v: the cap is %d", c, s.most)
		}
	}
}

// settled reports whether nothing has changed for some windows, over which the
// k-th direction captured more than the one outside.
func (p *probe) settled() bool { return p.calm >= calmWindows && p.streak.above(sureErrors) }
