package joint

import (
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/batch"
	"github.com/fenchel-ml/fenchel/solver"
)

// Accelerated proximal gradient of package batch, for several outputs with a penalty of all their weights together: of
// the nuclear norm a step takes the singular values of the weights.
func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "accelerated", Summary: "accelerated proximal gradient: any penalty, smooth losses",
		Facts: registry.Facts{Rate: "linear, passes like sqrt(L/lambda)", Memory: "4 K numbers a row, 5 K a feature", Source: "Nesterov 1983; Beck, Teboulle 2009; Toh, Yun 2010"},
		New:   func(*registry.Params) (solver.Solver, error) { return batch.NewAccelerated(), nil }})
}
