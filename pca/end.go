package pca

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/solver"
)

// How a run for components ends: with the gap, after another run for less loss, or with
// what keeps it from it.

// The first loss that a method is asked for is this part of the gap: the bound on what
// others capture is looser than a method's estimate of what it misses, on real data
// 50 times, and the goal of a later run follows from what the one before proved.
const (
	lossOfGap = 3e-4
	leastLoss = 1e-16 // less is lost in rounding
)

// refine reports whether another run may prove the gap, after it asked for less loss.
// The bound falls with the loss at least as fast as with its root.
func (j *pcaJob) refine() bool {
	m, ok := j.method.(method.Refining)
	found, goal := j.result.Model.Proof.Relative(), j.spec.goal()
	if !ok || j.cut != "" || j.late() || !(found > goal) || !m.Refines(j.problem) || j.problem.Loss == leastLoss {
		return false
	}
	loss := j.problem.Loss
	if loss == 0 {
		loss = lossOfGap * goal
	}
	j.problem.Loss = max(loss*(goal/found)*(goal/found)/10, leastLoss)
	return true
}

// end says how the run ended: a method that learns row by row did what was asked
// when it has seen its rows, unless a gap was asked for too.
func (j *pcaJob) end(relative float64) solver.Status {
	switch {
	case relative <= j.spec.goal():
		return solver.Converged
	case j.cut != "":
		return j.cut
	case j.late():
		return solver.TimeLimit
	}
	if _, batch := j.method.(method.Batch); batch || isStuck(j.result.State) {
		return solver.Stalled
	}
	return solver.EpochLimit
}

// whyStalled says what another run could do.
func (j *pcaJob) whyStalled() error {
	switch _, refines := j.method.(method.Refining); {
	case j.result.State != nil:
		return stuckError(j.spec.Method)
	case refines:
		return fmt.Errorf("method %s: no gap of %g is proved; expected more passes, a smaller tol, or a gap that rounding leaves room for", j.spec.Method, j.spec.goal())
	}
	return fmt.Errorf("method %s: no gap of %g is proved; expected a method that stops by the gap, such as krylov, or a gap that rounding leaves room for", j.spec.Method, j.spec.goal())
}

// isStuck reports whether a state says that it will stay away from the answer.
func isStuck(s method.State) bool {
	stuck, ok := s.(method.Stuck)
	return ok && stuck.Stuck()
}

func stuckError(method string) error {
	return fmt.Errorf("method %s is stuck: new directions are forgotten at once; expected another method, such as capped-msg", method)
}
