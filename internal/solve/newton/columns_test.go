package newton

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestNewtonColumns: with elastic-net every loss with corners takes few epochs to a small gap, also
// from the solution of a sample, with the same bits for any number of threads; and the
// estimate is what a certificate says, or a bit more.
func TestNewtonColumns(t *testing.T) {
	for _, n := range []int{300, 4 * fewestRows} {
		for k, spec := range cornered {
			l, bias := must(loss.New(spec)), []problem.Bias{problem.None, problem.Feature, problem.Free}[k%3]
			p := draw.Problem(l, "elastic-net", bias, n, 12, k%2 == 0)
			p.Lambda = 1e-3
			sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-7}))
			if sol.Status != solver.Converged || sol.Epochs > 25 {
				t.Errorf("%s, %v, %d rows: %s at %g after %d epochs", spec, bias, n, sol.Status, sol.Certificate.Relative(), sol.Epochs)
			}
			q := *p
			q.Rows = problem.NewRows(p.X, 3)
			if other := must(solver.Run(context.Background(), Newton{}, &q, solver.Options{Gap: 1e-7})); !slices.Equal(other.Point.W, sol.Point.W) || !slices.Equal(other.Point.A, sol.Point.A) {
				t.Errorf("%s, %v, %d rows: other bits with 3 threads", spec, bias, n)
			}
			s := newWorking(p, l.(loss.Cornered), nil, 1e-9)
			for !s.done {
				s.Epoch()
				if estimate, gap := s.Report().Gap, p.Certify(s.Point()).Relative(); bias != problem.Free && estimate < 0.1 && estimate > 1e-8 && (gap > 1.01*estimate || gap < estimate/4) {
					t.Errorf("%s, %v, %d rows: estimate %g, gap %g", spec, bias, n, estimate, gap)
				}
			}
		}
	}
}

// TestAddColumns: on the central path the mean product is m, with those of the columns; and
// the losses of the ramps are the objective without what is left of the penalty.
func TestAddColumns(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := draw.Problem(loss.Hinge{}, "elastic-net", bias, 50, 12, true)
		rest, weight := parts.WithoutCorner(p)
		w := make([]float64, 13)
		for j := range w {
			w[j] = float64(j%3) - 1
		}
		parts.Ground(w, p)
		s := newInterior(rest, loss.Hinge{}, w, 0.01)
		s.addColumns(weight)
		if math.Abs(s.mean/0.01-1) > 1e-9 {
			t.Errorf("%v: the mean product is %g, want 0.01", bias, s.mean)
		}
		primal, _ := p.Primal(w)
		if got := s.losses()/p.N + float64(rest.Lambda*rest.Penalty.Value(w[:p.Penalised()])); math.Abs(got-primal) > 1e-9*primal {
			t.Errorf("%v: the objective is %g, want %g", bias, got, primal)
		}
	}
}
