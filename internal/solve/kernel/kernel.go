// Package kernel holds the algorithms for kernel machines, one per file.
//
// Each takes a *problem.Kernel, moves its dual variables or coefficients, and
// leaves loop, clock and judgement to package solver. Adding one is a new file,
// which registers its name, and a row in the table of kernel_test.go.
package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return solvers.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return solvers.Entries() }
