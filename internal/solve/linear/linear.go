// Package linear brings all solvers of linear predictors together: a program that imports it can
// make each by its name. [Choose] is the rule of "auto".
//
//	solver/dual        ascent in dual variables, one a row: sdca
//	solver/newton      second-order steps
//	solver/column      coordinate descent over columns: cd
//	solver/stochastic  steps along estimates of a gradient
//	solver/batch       first-order steps that see all rows, planes, multipliers
//
// Each algorithm takes a *problem.Linear, moves a point, and leaves loop, clock and judgement to
// package solver. A new one is a file in the room of its family, or of a new family that this
// package imports, and a row in the table of linear_test.go, where every solver meets every loss.
// Here is only simba, for problems with slack, beside the rule: simba.go.
package linear

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	_ "github.com/fenchel-ml/fenchel/internal/solve/batch"
	_ "github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/solver"
)

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return solver.Linear.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return solver.Linear.Entries() }
