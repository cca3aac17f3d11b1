package problem_test

import (
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Certify weights, wherever they come from: how far can they be from the best ones? The
// proof needs dual variables, a number for each row; here they are derivatives of the loss.
func Example_certify() {
	x, err := matrix.NewDense(4, 1, []float32{1, 2, -1, -2})
	if err != nil {
		log.Fatal(err)
	}
	targets := []float64{1, 2, -1, -2}
	p, err := problem.NewLinear(problem.NewRows(x, 0), targets, nil, loss.Squared{}, penalty.L2{}, 1, problem.None)
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range []float64{0.6, 0.7, 2.5 / 3.5} {
		dual := make([]float64, len(targets))
		for i, y := range targets {
			dual[i] = loss.Squared{}.Derivative(w*float64(x.Value[i]), y)
		}
		c := p.Certify(problem.Point{W: []float64{w, 0}, A: dual})
		fmt.Printf("weight %.3f: proved to %.1f %%\n", w, 100*c.Relative())
	}
	// Output:
	// weight 0.600: proved to 21.1 %
	// weight 0.700: proved to 0.3 %
	// weight 0.714: proved to 0.0 %
}
