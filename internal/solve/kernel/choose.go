package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/ridge"
	"github.com/fenchel-ml/fenchel/problem"
)

// Choose returns the solver that should prove the relative gap first, and why.
// The rules use counts, never a clock.
func Choose(p *problem.Kernel, gap float64) (name, why string) {
	if (ridge.Cholesky{}).Accepts(p) == nil && (p.Len() <= 4096 || gap <= 1e-6) {
		return "cholesky", "squared loss, few rows: one factorisation"
	}
	if (dual.Working{}).Accepts(p) == nil {
		return "working", "large working sets need the fewest rows of the kernel matrix"
	}
	return "sdca", "a loss of which only the proximal map is known"
}
