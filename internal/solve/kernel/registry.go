package kernel

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

var solvers = registry.New[solver.Solver]("solver")

// kernelProblem returns p as the kind of problem that most solvers here solve.
func kernelProblem(p problem.Problem) (*problem.Kernel, error) {
	if k, ok := p.(*problem.Kernel); ok && !loss.IsConvex(k.Loss) {
		return nil, errors.New("the loss is not convex: expected another, or the solver ramp")
	} else if ok {
		return k, nil
	}
	return nil, otherKind("this solver", "lambda or C", p)
}

// otherKind says that a solver takes other problems than p, and which takes p.
func otherKind(name, takes string, p problem.Problem) error {
	other := "auto"
	switch p.(type) {
	case *problem.NormConstrained:
		other = "sgd"
	case *problem.Slack:
		other = "sbp"
	case *problem.Nu:
		other = "nu"
	}
	return fmt.Errorf("%s takes problems with %s: found %s, expected %s, or the solver %s", name, takes, problem.Name(p), takes, other)
}
