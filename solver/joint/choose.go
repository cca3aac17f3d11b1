package joint

import "github.com/fenchel-ml/fenchel/problem"

// Choose returns the solver that should prove the relative gap first, and why. The rules use
// counts, never a clock.
func Choose(p problem.Problem, gap float64) (name, why string) {
	return "sdca", "the one for losses of all classes"
}
