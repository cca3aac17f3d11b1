package dual

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestAnotherC: from the answer for another C a run takes at most 1.2 times the values of the kernel
// that one from zero takes, and fewer for twice C; it converges, and to the same optimum. Sets are
// small, so that there are many.
func TestAnotherC(t *testing.T) {
	for _, gamma := range []float64{0.01, 40} {
		for _, l := range []loss.Loss{loss.Hinge{}, loss.SquaredHinge{}, loss.EpsilonInsensitive{Epsilon: 0.1}} {
			for _, bias := range []problem.Bias{problem.Free, problem.None} {
				for _, growth := range []float64{2, 10, 0.1} {
					at := func(c float64) *problem.Kernel {
						p := ofWidth(t, gamma, l, bias, gram.Options{})
						p.Lambda = 1 / (c * p.N)
						return p
					}
					solved := func(p *problem.Kernel, from *problem.Point) (*solver.Solution, int64) {
						before := p.Counts().Requested
						s := kerneltest.Run(t, Working{Q: 40}, p, solver.Options{From: from, Growth: growth, Epochs: 3000})
						return s, p.Counts().Requested - before
					}
					const c = 3
					first, _ := solved(at(c), nil)
					cold, most := solved(at(c*growth), nil)
					warm, values := solved(at(c*growth), &first.Point)
					if values > most*6/5 || growth == 2 && values >= most {
						t.Errorf("gamma %g, %T, bias %v, C times %g: found %d values and %d epochs, from zero %d and %d", gamma, l, bias, growth, values, warm.Epochs, most, cold.Epochs)
					}
					if w, c := warm.Certificate, cold.Certificate; warm.Status != solver.Converged || w.Primal < c.Dual || w.Dual > c.Primal {
						t.Errorf("gamma %g, %T, bias %v, C times %g: found %s within %g and %g, from zero %g and %g", gamma, l, bias, growth, warm.Status, w.Dual, w.Primal, c.Dual, c.Primal)
					}
				}
			}
		}
	}
}
