package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestPreconditionedQuadratic: for least squares M is the matrix of the quadratic, so that one step of
// all rows, which have no noise, is at the optimum, from any point and with any bias.
func TestPreconditionedQuadratic(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		p := draw.Problem(loss.Squared{}, "l2", bias, 60, 5, true)
		from := make([]float64, 6)
		for j := range 5 {
			from[j] = float64(3 * j)
		}
		s := must(New("preconditioned:batch=60")).Start(p, solver.Start{From: &problem.Point{W: from}})
		s.Epoch()
		c := p.Certify(s.Point())
		if c.Gap() > 1e-11*p.Zero() {
			t.Errorf("bias %v: gap %g after one step", bias, c.Gap())
		}
	}
}

// TestPreconditionedScales: where columns differ in size it takes fewer epochs than growing batches do
// without M.
func TestPreconditionedScales(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 2))
	rows := draw.Rows(r, 400, 6, 1)
	y := draw.Targets(r, rows, loss.Logistic{})
	for _, row := range rows {
		for j := range row {
			row[j] *= float32(math.Pow(10, float64(j)/2))
		}
	}
	p := must(problem.NewLinear(problem.NewRows(draw.Stored(rows, false), 1), y, nil, loss.Logistic{}, penalty.L2{}, 0.05, problem.Free))
	with := must(solver.Run(context.Background(), must(New("preconditioned")), p, solver.Options{Gap: 1e-6, Epochs: 1000}))
	without := must(solver.Run(context.Background(), must(New("growing")), p, solver.Options{Gap: 1e-6, Epochs: 1000}))
	if t.Logf("%d epochs with M, %d without", with.Epochs, without.Epochs); with.Status != solver.Converged || 3*with.Epochs >= without.Epochs {
		t.Errorf("%s after %d epochs, without M %s after %d", with.Status, with.Epochs, without.Status, without.Epochs)
	}
}

func TestPreconditionedRefuses(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 40, 5, false)
	const want = "solver preconditioned needs batches of at most as many rows as there are: found batch=41, expected at most 40"
	if err := must(New("preconditioned:batch=41")).Accepts(p); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for spec, want := range map[string]string{
		"preconditioned:growth=0.5": `solver "preconditioned": growth=0.5: expected a number from 1 to 1e6`,
		"preconditioned:batch=0":    `solver "preconditioned": batch=0: expected auto, or a whole number from 1 to 2147483647`,
		"preconditioned:batch=1.5":  `solver "preconditioned": batch=1.5: expected auto, or a whole number from 1 to 2147483647`,
	} {
		if _, err := New(spec); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestPreconditionedNoise: the M-norm of the noise decides: with batches that stay small the error has a
// floor, with growing ones it falls geometrically (Theorem 4.8).
func TestPreconditionedNoise(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 2000, 5, false)
	optimum := optimum(p)
	after := func(spec string, epochs int) float64 {
		s := must(New(spec)).Start(p, solver.Start{Seed: 1})
		for range epochs {
			s.Epoch()
		}
		value, _ := p.Primal(s.Point().W)
		return value - optimum
	}
	fixed, growing := after("preconditioned:batch=50,growth=1", 20), after("preconditioned:batch=50", 20)
	if !(fixed > 1e-5 && growing < 1e-9) || math.IsNaN(growing) {
		t.Errorf("%g above the optimum with batches of 50, %g with growing ones", fixed, growing)
	}
}
