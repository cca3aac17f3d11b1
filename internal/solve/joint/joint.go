// Package joint holds the algorithms for problems of several classes under one loss, one per
// file: of linear predictors (problem.Joint) and of kernel machines (problem.JointKernel).
//
// Each leaves loop, clock and judgement to package solver. Adding one is a new file, which
// registers its name, and a row in the table of joint_test.go. Choose is the rule of "auto".
package joint

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

var solvers = registry.New[solver.Solver]("solver")

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return solvers.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return solvers.Entries() }

// linearProblem returns p as a problem of linear predictors.
func linearProblem(p problem.Problem) (*problem.Joint, error) {
	l, ok := p.(*problem.Joint)
	if !ok {
		return nil, fmt.Errorf("found %s, expected a linear model of several classes under one loss", problem.Name(p))
	}
	if _, _, elastic := penalty.Coefficients(l.Penalty); !elastic {
		return nil, fmt.Errorf("found the penalty %s, expected l2, l1 or elastic-net, or the solver accelerated", penalty.Name(l.Penalty))
	}
	return l, nil
}
