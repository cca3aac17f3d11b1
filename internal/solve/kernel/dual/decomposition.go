package dual

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Decomposition is the method of working sets as SVM-light has it (Joachims 1999;
// thesis 4.2).
//
// Problem and rounds are those of Working, with sets of a few rows from the two
// ends of the sorted derivatives, the steepest feasible direction with Q nonzeros,
// and a dual problem that is solved to a thousandth of its violation. It begins
// at zero, on all rows. With Q = 2 and without Shrinking it is SMO with the maximal violating pair, and
// runs as that: a pair is solved in closed form, whatever Inner says.
// Inner says how that is solved: by steps of pairs, or by the projected gradient method of
// working_gradient.go. With Shrinking rows that rest at a bound are left out for a while, see
// shrinking. Returned is the last iterate. Cost per round: Q rows of K at most.
type Decomposition struct {
	Q         int
	Inner     string // "pairs", "gradient"; "": pairs
	Shrinking bool
}

var _ solver.Solver = Decomposition{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "decomposition", Summary: "small working sets, as SVM-light; q=10 rows in a set, inner=pairs|gradient, shrinking=off|on",
		Facts: registry.Facts{Rate: "linear in the end; rounds grow with C", Memory: "rows of K up to the cache", Source: "Joachims 1999"},
		New: func(p *registry.Params) (solver.Solver, error) {
			q := p.Int("q", 10, 2, 1<<14)
			d := Decomposition{Q: q, Inner: p.Choice("inner", "pairs", "gradient"), Shrinking: p.Choice("shrinking", "off", "on") == "on"}
			return d, p.Err()
		}})
}

// Accepts takes every loss whose slope can be inverted, and inside the projected gradient those
// with a single corner.
func (s Decomposition) Accepts(p problem.Problem) error {
	if err := accepts("decomposition", p); err != nil {
		return err
	}
	if l := p.(*problem.Kernel).Loss; s.Inner == "gradient" && !singleCorner(l) {
		return fmt.Errorf("decomposition with inner=gradient needs a loss with a single corner and bounded slopes, such as hinge or absolute, found %s: expected another loss, or inner=pairs", loss.Name(l))
	}
	return nil
}

// Start begins at the warm start, or at zero.
func (s Decomposition) Start(p problem.Problem, start solver.Start) solver.State {
	if s.Q <= 2 && !s.Shrinking {
		return SMO{"first"}.Start(p, start)
	}
	k := p.(*problem.Kernel)
	w := newWorking(k, max(s.Q, 2), 1e-3, support.Kept(k, start), start.Over)
	w.inside.descends = s.Inner == "gradient"
	if s.Shrinking {
		shrunk := &shrinking{working: w}
		support.SupportOf(start, shrunk.support)
		return shrunk
	}
	support.SupportOf(start, w.support)
	return w
}
