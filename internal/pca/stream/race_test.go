package stream

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// Row 22: step sizes on one pass are what they are in runs of their own, to the
// bit; for both grids of the thesis.
func TestRaceIsSeparateRuns(t *testing.T) {
	t.Parallel()
	const k, n = 2, 3 * raceBlock
	x, _ := pcatest.Simulated("gaussian", k, n, 1)
	p := method.Problem{Cols: pcatest.SimulatedCols, K: k, Seed: 1, Squared: 1, Fourth: 1}
	for _, grid := range [][]float64{schedule.SimulationGrid(), schedule.ImageGrid()} {
		for _, name := range []string{"capped-msg", "warmuth-kuzmin"} {
			var m Race
			for _, c := range grid {
				one, err := method.New(fmt.Sprintf("%s:c=%g", name, c))
				if err != nil {
					t.Fatal(err)
				}
				m.Candidates = append(m.Candidates, one.(method.Streaming))
			}
			m.All = true
			s := m.Start(p).(*race)
			s.Learn(x)
			if len(s.runners) != len(grid) {
				t.Fatalf("%s: %d of %d are left", name, len(s.runners), len(grid))
			}
			for i, r := range s.runners {
				alone := m.Candidates[i].Start(p)
				alone.Learn(x)
				if !pcatest.SameLists(method.Keep(alone), method.Keep(r.state)) {
					t.Errorf("%s: c=%g: other bits than in a run of its own", name, grid[i])
				}
			}
		}
	}
}

// Halving ends with one candidate, which is what it would be alone and nearly the
// best of all; a race that was kept goes on with the same bits.
func TestRaceHalves(t *testing.T) {
	t.Parallel()
	const k, n = 2, 80 * raceBlock
	x, sigma := pcatest.Simulated("gaussian", k, n, 2)
	p := method.Problem{Cols: pcatest.SimulatedCols, K: k, Seed: 1, Squared: 1, Fourth: 1}
	s, again := pcatest.StartOf(t, "race", p).(*race), pcatest.StartOf(t, "race", p).(*race)
	s.Learn(x.Part(0, 8*raceBlock))
	if err := method.Restore(again, method.Keep(s)); err != nil {
		t.Fatal(err)
	}
	s.Learn(x.Part(8*raceBlock, n))
	again.Learn(x.Part(8*raceBlock, n))
	if !pcatest.SameLists(method.Keep(s), method.Keep(again)) {
		t.Error("other bits after it was kept")
	}
	var all []float64
	for _, c := range schedule.Grid(-8, 3) {
		one := pcatest.StartOf(t, fmt.Sprintf("capped-msg:c=%g", c), p)
		one.Learn(x)
		all = append(all, pcatest.Missed(one.Basis(), k, sigma))
	}
	won, best := pcatest.Missed(s.Basis(), k, sigma), slices.Min(all)
	t.Logf("candidate %d of %d left wins with %.2g; all: %.2g", slices.MaxFunc(s.runners, byCaptured).of, len(s.runners), won, all)
	if name, captured := s.Won(); name != fmt.Sprintf("capped-msg:c=%g", schedule.Grid(-8, 3)[s.runners[0].of]) || math.Abs(captured-captures(x.Part(7*raceBlock, 8*raceBlock), s.Basis())) > 0.1 {
		t.Errorf("found the winner %s with %g", name, captured)
	}
	if len(s.runners) != 1 || won != all[slices.MaxFunc(s.runners, byCaptured).of] || won > best+2e-3 {
		t.Errorf("candidate %d of %d left wins with %g, expected one of error at most %g", slices.MaxFunc(s.runners, byCaptured).of, len(s.runners), won, best+2e-3)
	}
}

// captures returns what a basis captures of rows on average.
func captures(x view.Rows, b method.Basis) (sum float64) {
	b.Along(x, 1)
	for _, v := range b.Value {
		sum += v
	}
	return sum
}

func TestRaceRefuses(t *testing.T) {
	for _, spec := range []string{"race:lo=3,hi=1", "race:method=covariance", "race:method=race", "race:method=incremental"} {
		if _, err := method.New(spec); err == nil {
			t.Errorf("%s was accepted", spec)
		} else {
			t.Log(err)
		}
	}
	if err := method.Accepts(Race{}, method.Problem{Cols: 3, K: 1}); err == nil {
		t.Error("no candidates were accepted")
	}
	s := pcatest.StartOf(t, "race", method.Problem{Cols: 3, K: 1})
	kept := method.Keep(s)
	kept["candidates"] = []float64{0, 0, 99}
	if method.Restore(pcatest.StartOf(t, "race", method.Problem{Cols: 3, K: 1}), kept) == nil {
		t.Error("candidates that do not exist were restored")
	}
}
