package train

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/solver"
	kernelsolver "github.com/fenchel-ml/fenchel/solver/kernel"
)

// adopt fills in the loss and the bias of a solver that does not take the usual ones, where
// none was asked for. A loss that is not convex has one solver, which is then meant. It
// returns why the bias is another than the usual one, "" if it is not.
func (spec *Spec) adopt() (why string) {
	if !spec.IsMachine() || spec.IsJoint() || spec.margin() || spec.Nu != 0 || spec.Radius != 0 {
		return ""
	}
	name := spec.Solver
	if spec.auto() {
		l, err := loss.New(spec.Loss)
		if err != nil || loss.IsConvex(l) {
			return ""
		}
		name = "ramp"
	}
	s, _ := kernelsolver.New(name) // Check knows that there is one
	traits := solver.TraitsOf(s)
	if spec.Loss == "" {
		spec.Loss = traits.Loss
	}
	if spec.Bias != "" || traits.Bias == "" {
		return ""
	}
	spec.Bias = traits.Bias
	return fmt.Sprintf("solver %s has no step for a free one, the default", name)
}

// checkConvex refuses a loss that is not convex where only convex ones are taken.
func (spec *Spec) checkConvex(t terms) error {
	if loss.IsConvex(t.loss) {
		return nil
	}
	switch {
	case !spec.IsMachine():
		return fmt.Errorf("loss %s is not convex, and only kernel machines have a solver for it: expected a kernel, linear for one, and no map", spec.Loss)
	case t.radius != 0 || t.margin() || t.nu != 0:
		return fmt.Errorf("loss %s with radius=%g, slack=%g, nu=%g: expected lambda or C", spec.Loss, t.radius, t.slack, t.nu)
	}
	return nil
}
