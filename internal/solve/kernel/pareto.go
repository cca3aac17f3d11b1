package kernel

import (
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Tradeoff is a classifier by its norm and its average loss.
type Tradeoff struct {
	Norm, Loss float64
	Solution   *solver.Solution
}

// Pareto solves problems that differ in lambda, R or nu, one after the other,
// and returns what each trades. At their optima no classifier has less of both:
// they are points of one decreasing convex curve, whichever of the three
// parameters is moved (thesis 1.1).
//
// It ends at the first error, or when ctx is cancelled, with what is done.
func Pareto(ctx context.Context, s solver.Solver, opt solver.Options, problems ...problem.BiCriterion) ([]Tradeoff, error) {
	var front []Tradeoff
	for k, p := range problems {
		sol, err := solver.Run(ctx, s, p, opt)
		if err != nil {
			return front, fmt.Errorf("problem %d: %w", k+1, err)
		}
		w := sol.Point.W
		if b, ok := p.(problem.Bounded); ok {
			w = b.Inside(w)
		}
		norm, loss := p.Criteria(w)
		front = append(front, Tradeoff{norm, loss, sol})
		if ctx.Err() != nil {
			break
		}
	}
	return front, nil
}
