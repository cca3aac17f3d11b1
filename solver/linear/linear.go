// Package linear holds the algorithms for linear predictors, one per file.
//
// Each takes a *problem.Linear, moves a point, and leaves loop, clock and
// judgement to package solver. Adding one is a new file, which registers its
// name, and a row in the table of linear_test.go. Further files of one algorithm
// begin with its name: sdca_rounds.go. face and proximal are methods of their own that SDCA
// goes over to (sdca_escape.go). Choose is the rule of "auto".
package linear

import (
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
	_ "github.com/fenchel-ml/fenchel/solver/batch"
	_ "github.com/fenchel-ml/fenchel/solver/stochastic"
)

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return solver.Linear.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return solver.Linear.Entries() }
