package linear

import "github.com/fenchel-ml/fenchel/solver"

var (
	_ solver.Present = (*smooth)(nil)
	_ solver.Present = (*working)(nil)
)

// Present is true: Estimate is made from the predictions after the step.
func (*smooth) Present() bool { return true }

// Present is true: Estimate is made from the predictions after the step.
func (*working) Present() bool { return true }
