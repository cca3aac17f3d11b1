package spectral

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// Row 18, on orthogonal data: convergence is declared only where the error is below
// 1e-3, with ordinary steps and with small ones; and a run that starts with K = k+1
// and small steps never ends stuck.
func TestAutomaticCap(t *testing.T) {
	t.Parallel()
	seeds := uint64(50)
	if !*long {
		seeds = 8
	}
	for _, c := range []struct {
		data, spec string
		k, rows    int
		arrives    bool // there are enough rows for steps of that size
	}{
		{"orthogonal-exact", "capped-msg:cap=auto", 1, 6000, true},
		{"orthogonal-sqrt", "capped-msg:cap=auto", 2, 6000, true},
		{"orthogonal-exact", "capped-msg:cap=auto,c=0.125", 2, 8000, true},
		{"orthogonal-sqrt", "capped-msg:cap=auto,c=0.125", 1, 10000, true},
		{"orthogonal-sqrt", "capped-msg:cap=auto,c=0.03", 4, 6000, false},
	} {
		var stuck, wrong, declared, most int
		worst, worstDeclared := 0.0, 0.0
		for seed := range seeds {
			x, sigma := pcatest.Simulated(c.data, c.k, c.rows, seed)
			s := pcatest.StartOf(t, c.spec, method.Problem{Cols: pcatest.SimulatedCols, K: c.k, Seed: seed, Squared: 1, Fourth: 1}).(*msg)
			for i := 0; i < c.rows; i += 500 {
				s.Learn(x.Part(i, i+500))
				if s.Converged() {
					declared++
					worstDeclared = max(worstDeclared, pcatest.Missed(s.Basis(), c.k, sigma))
				}
				most = max(most, s.Cap())
			}
			if s.Stuck() {
				stuck++
			}
			e := pcatest.Missed(s.Basis(), c.k, sigma)
			worst = max(worst, e)
			if e > 1e-3 {
				wrong++
			}
		}
		t.Logf("%s k=%d %s: worst %.2g; called converged %d times, worst then %.2g; K at most %d", c.data, c.k, c.spec, worst, declared, worstDeclared, most)
		if stuck > 0 || worstDeclared > 1e-3 || c.arrives && (wrong > 0 || declared == 0) {
			t.Errorf("%s k=%d %s: %d of %d end stuck, %d wrong (worst %g), called converged %d times, error then up to %g", c.data, c.k, c.spec, stuck, seeds, wrong, worst, declared, worstDeclared)
		}
	}
}

// With one direction more than k and steps that are much too small, all runs are
// wrong, and are said to be stuck; with an automatic cap they go on.
func TestStuckIsSeen(t *testing.T) {
	t.Parallel()
	const k, n = 4, 6000
	for seed := range uint64(5) {
		x, _ := pcatest.Simulated("orthogonal-sqrt", k, n, seed)
		p := method.Problem{Cols: pcatest.SimulatedCols, K: k, Seed: seed, Squared: 1, Fourth: 1}
		fixed, auto := pcatest.StartOf(t, "capped-msg:c=0.03", p).(*msg), pcatest.StartOf(t, "capped-msg:cap=auto,c=0.03", p).(*msg)
		fixed.Learn(x)
		auto.Learn(x)
		if !fixed.Stuck() || auto.Stuck() || auto.Cap() <= k+1 || fixed.Cap() != k+1 {
			t.Errorf("seed %d: fixed cap stuck %v, automatic cap stuck %v at %d", seed, fixed.Stuck(), auto.Stuck(), auto.Cap())
		}
	}
}

// Converged reports whether the state has decided on k directions, and nothing
// outside of them captures as much as they do.
func (s *msg) Converged() bool { return s.probe.settled() }

// Cap returns the largest rank allowed: d for MSG.
func (s *msg) Cap() int { return s.most }
