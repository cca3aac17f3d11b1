package train

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/solver"
)

// provesNothing reports whether there can be no gap, by the solver or with the kernel:
// the passes are all that was asked for.
func (j *job) provesNothing() bool {
	machine, kernels := j.problems.family.(machineFamily)
	return solver.TraitsOf(j.solver).Passes > 0 || kernels && !machine.gram.Definite()
}

// unbounded says why what was found bounds an objective from one side or from none; ""
// if there is a gap.
func (s *problems) unbounded(found Summary) string {
	switch machine, kernels := s.family.(machineFamily); {
	case finiteOr(found.Primal, 1) != found.Primal:
		return fmt.Sprintf("the objective is %g, no finite number", found.Primal)
	case !found.Unproved():
		return ""
	case !loss.IsConvex(s.loss):
		return "the loss is not convex, so that nothing bounds the objective from below"
	case kernels && !machine.gram.Definite():
		return machine.doubt()
	}
	return "nothing was found that bounds the objective from below"
}

// unproved says why a job proved nothing; "" if there is a gap.
func (j *job) unproved(found Summary) string {
	if solver.TraitsOf(j.solver).Passes > 0 && found.Unproved() {
		return fmt.Sprintf("solver %s proves nothing", j.spec.Solver)
	}
	return j.problems.unbounded(found)
}

// judge says why the claims of a model whose numbers are right, as far as they were
// recomputed, are neither proved nor refuted; "" if they are true. What was asked is the
// gap that the model says it was trained to.
func (v *Verification) judge(s *problems, asked float64) string {
	if reason := s.unbounded(v.Found); reason != "" {
		return reason
	}
	if goal := math.Max(asked, v.Claimed.Worst); v.Rebuilt && v.Found.Worst > goal {
		return fmt.Sprintf("the model has no dual variables: from its predictions a relative gap of %.3g is proved, and %.3g is claimed", v.Found.Worst, v.Claimed.Worst)
	}
	return ""
}
