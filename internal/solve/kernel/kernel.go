// Package kernel holds all algorithms for kernel machines by name, the rule that chooses one,
// and what is made of several: machines of bounded norm, what norm and loss trade.
//
// Each algorithm is a file of package dual, nu, engine or ridge. It takes a *problem.Kernel, moves
// its dual variables or coefficients, and leaves loop, clock and judgement to package solver.
// Adding one is a new file, which registers its name, and a row in the tables of limit_test.go
// and, for what has an engine, of solvers_test.go.
package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	_ "github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	_ "github.com/fenchel-ml/fenchel/internal/solve/kernel/nu"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/solver"
)

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return support.Solvers.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return support.Solvers.Entries() }
