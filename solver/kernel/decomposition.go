package kernel

import (
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// Decomposition is the method of working sets as SVM-light has it (Joachims 1999;
// thesis 4.2).
//
// Problem and rounds are those of Working, with sets of a few rows from the two
// ends of the sorted derivatives, the steepest feasible direction with Q nonzeros,
// and a dual problem that is solved to a thousandth of its violation. It begins
// at zero, on all rows. With Q = 2 it is SMO with the maximal violating pair.
// Returned is the last iterate. Cost per round: Q rows of K at most.
type Decomposition struct{ Q int }

var _ solver.Solver = Decomposition{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "decomposition", Summary: "small working sets, as SVM-light; q=10 rows in a set",
		Facts: registry.Facts{Rate: "linear in the end; rounds grow with C", Memory: "rows of K up to --cache", Source: "Joachims 1999"},
		New: func(p *registry.Params) (solver.Solver, error) {
			q := p.Int("q", 10, 2, 1<<14)
			return Decomposition{q}, p.Err()
		}})
}

// Accepts takes every loss whose slope can be inverted.
func (Decomposition) Accepts(p problem.Problem) error { return accepts("decomposition", p) }

// Start begins at the warm start, or at zero.
func (s Decomposition) Start(p problem.Problem, start solver.Start) solver.State {
	w := newWorking(p.(*problem.Kernel), max(s.Q, 2), 1e-3, start.From, start.Over)
	supportOf(start, w.support)
	return w
}
