package dual

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// After ten epochs the responses that the solvers by pairs and sets keep are those
// of their coefficients (F3).
func TestDualResponses(t *testing.T) {
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		for _, s := range []solver.Solver{SMO{"second"}, SMO{"gain"}, Decomposition{Q: 10}, Working{Q: 16}} {
			p := kerneltest.Machine(t, 200, 1.0/2000, bias)
			state := s.Start(p, solver.Start{Seed: 1})
			for range 10 {
				state.Epoch()
			}
			d := dualOf(state)
			kept := append([]float64(nil), d.R...)
			d.respond(p)
			moved := false
			for i, r := range d.R {
				moved = moved || r != 0
				if math.Abs(kept[i]-r) > 1e-8 {
					t.Fatalf("%v, %T: the response of row %d is %v, kept is %v", bias, s, i, r, kept[i])
				}
			}
			if !moved {
				t.Errorf("%v, %T: nothing moved", bias, s)
			}
		}
	}
}

// dualOf returns the dual problem of a state, of the rows that are in play.
func dualOf(s solver.State) *Dual {
	switch s := s.(type) {
	case *smo:
		return s.Dual
	case *working:
		return s.Dual
	}
	panic("unknown state")
}
