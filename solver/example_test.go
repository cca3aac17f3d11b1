package solver_test

import (
	"context"
	"fmt"
	"log"

	_ "github.com/fenchel-ml/fenchel" // registers the solvers
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Minimise one objective, without the targets and models of package fenchel, until the answer
// is proved to one part in a million.
func ExampleRun() {
	x, err := matrix.NewDense(3, 2, []float32{1, 0, 0, 1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	p, err := problem.NewLinear(problem.NewRows(x, 0), []float64{1, 2, 3}, nil, loss.Squared{}, penalty.L2{}, 1e-3, problem.None)
	if err != nil {
		log.Fatal(err)
	}
	s, err := solver.Linear.New("sdca")
	if err != nil {
		log.Fatal(err)
	}
	solution, err := solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-6})
	if err != nil {
		log.Fatal(err)
	}
	w := solution.Point.W
	fmt.Printf("%s: w = %.2f, %.2f\n", solution.Status, w[0], w[1])
	// Output: converged: w = 1.00, 2.00
}
