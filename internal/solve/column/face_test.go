package column

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

// fields has rows with one of 20 values in each of 4 fields, so that the columns of a field
// add up to those of another.
func fields(l loss.Loss, p string, lambda float64, bias problem.Bias) *problem.Linear {
	r := rand.New(rand.NewPCG(41, 1))
	rows, y := make([][]float32, 400), make([]float64, 400)
	var w [80]float64
	for j := range w {
		w[j] = r.NormFloat64()
	}
	for i := range rows {
		rows[i] = make([]float32, len(w))
		sum := 0.5 * r.NormFloat64()
		for f := range 4 {
			j := 20*f + r.IntN(20)
			rows[i][j] = 1
			sum += w[j]
		}
		y[i] = math.Copysign(1, sum)
	}
	return must(problem.NewLinear(problem.NewRows(draw.Stored(rows, true), 1), y, nil, l, must(penalty.New(p)), lambda, bias))
}

// TestCDOnFields: passes alone take up to 2079 epochs.
func TestCDOnFields(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, l := range []loss.Loss{loss.Logistic{}, loss.SquaredHinge{}} {
			for _, p := range []string{"l1", "elastic-net"} {
				sol := must(solver.Run(context.Background(), CD{}, fields(l, p, 2.5e-5, bias), solver.Options{Gap: 1e-6, Epochs: 150}))
				if sol.Status != solver.Converged {
					t.Errorf("%T, %s, bias %v: %s after %d epochs with relative gap %g", l, p, bias, sol.Status, sol.Epochs, sol.Certificate.Relative())
				}
			}
		}
	}
}

// TestFaceTwins: a step by the factor and one by conjugate gradients lead to the same point.
func TestFaceTwins(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Free} {
		start := func(formed bool) *cd {
			s := CD{}.Start(fields(loss.Logistic{}, "elastic-net", 1e-2, bias), solver.Start{Seed: 1}).(*cd)
			s.Epoch()
			if s.descent.open || !s.begin() {
				t.Fatal("no model to make steps in")
			}
			if formed {
				s.model.form(s)
			}
			s.pass()
			s.tolerance = 0
			return s
		}
		a, b := start(true), start(false)
		for range 3 {
			a.face.step(a)
			b.cross()
			for b.descent.steps = 60; !b.face.step(b); { // as many as it takes, which is a millionth of the error
			}
		}
		moved := 0.0
		for j := range a.d {
			moved = max(moved, math.Abs(a.d[j]))
			if math.Abs(a.d[j]-b.d[j]) > 1e-6 {
				t.Errorf("bias %v, column %d: %v by the factor, %v by conjugate gradients", bias, j, a.d[j], b.d[j])
			}
		}
		if moved < 1e-3 {
			t.Errorf("bias %v: steps of at most %g show nothing", bias, moved)
		}
	}
}
