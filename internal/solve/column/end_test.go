package column

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestCDEnds: where rounding a weight moves the slope along its column by many times lambda
// the run ends soon and says so, with l1; with less, and with elastic-net, it goes on.
func TestCDEnds(t *testing.T) {
	for _, c := range []struct {
		penalty string
		lambda  float64
		ends    bool
	}{{"l1", 1e-3, true}, {"l1", 1e4, false}, {"elastic-net", 1e-3, false}} {
		r := rand.New(rand.NewPCG(3, 8))
		rows, y := make([][]float32, 500), make([]float64, 500)
		for i := range rows {
			rows[i] = make([]float32, 8)
			for j := range rows[i] {
				rows[i][j] = float32(1e8 * r.NormFloat64())
				y[i] += 1e-2 * float64(rows[i][j])
			}
			y[i] += 1e5 * r.NormFloat64()
		}
		p := must(problem.NewLinear(problem.NewRows(draw.Stored(rows, false), 1), y, nil, loss.Squared{}, must(penalty.New(c.penalty)), c.lambda, problem.Free))
		sol := must(solver.Run(context.Background(), CD{}, p, solver.Options{Epochs: 100}))
		if c.ends && (sol.Status != solver.Stalled || len(sol.Certificate.Warnings) != 1 || !strings.Contains(sol.Certificate.Warnings[0].Error(), "scaled features")) || !c.ends && sol.Status != solver.Converged {
			t.Errorf("%s, lambda %g: %s after %d epochs with gap %g, %v", c.penalty, c.lambda, sol.Status, sol.Epochs, sol.Certificate.Relative(), sol.Certificate.Warnings)
		}
	}
}

// TestCDHeeds: whenever a limit is reached, in the start or in an epoch, nothing more is
// done to the model, the point is the last one whole, and no epoch changes it.
func TestCDHeeds(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l1", problem.Free, 3000, 40, false)
	began, going := 0, 0
	for most := 0; ; most++ {
		asked, visited := 0, int64(0)
		var s *cd
		over := func() bool {
			asked++
			if s != nil && asked <= most+1 {
				visited = s.model.visited
			}
			return asked > most
		}
		s = CD{}.Start(p, solver.Start{Seed: 1, Over: over}).(*cd)
		if most < 6 && (s.columns != nil || asked != most+1) {
			t.Fatalf("3000 rows were turned, twice, with %d questions", asked)
		}
		s.quantum = 1 << 22 // of several questions
		w := slices.Clone(s.w)
		for asked <= most && s.gap > 1e-9 {
			copy(w, s.w)
			s.Epoch()
		}
		if asked <= most {
			break
		}
		if s.descent.open {
			going++
		} else if s.columns != nil {
			began++
		}
		for range 2 {
			if !slices.Equal(w, s.w) || s.model.visited != visited {
				t.Fatalf("limit at question %d: the run went on", most)
			}
			s.Epoch()
		}
		if gap := p.Certify(s.Point()).Relative(); math.IsNaN(gap) || s.columns == nil && s.Report().Gap < gap {
			t.Errorf("limit at question %d: relative gap %g, estimate %g", most, gap, s.Report().Gap)
		}
	}
	if began == 0 || going == 0 {
		t.Errorf("limits in %d models, and %d times between: this test shows nothing", going, began)
	}
}
