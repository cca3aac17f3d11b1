// Package support holds what the algorithms for kernel machines share: their registry, which
// problems they take, limits of runs, what a certificate costs, rows of the matrix.
package support

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Solvers are the algorithms by name.
var Solvers = registry.New[solver.Solver]("solver")

// KernelProblem returns p as the kind of problem that most solvers here solve.
func KernelProblem(p problem.Problem) (*problem.Kernel, error) {
	if k, ok := p.(*problem.Kernel); ok && !loss.IsConvex(k.Loss) {
		return nil, errors.New("the loss is not convex: expected another, or the solver ramp")
	} else if ok {
		return k, nil
	}
	return nil, OtherKind("this solver", "lambda or C", p)
}

// OtherKind says that a solver takes other problems than p, and which takes p.
func OtherKind(name, takes string, p problem.Problem) error {
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
