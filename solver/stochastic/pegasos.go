package stochastic

import "github.com/fenchel-ml/fenchel/registry"

// Pegasos is the primal stochastic subgradient method (Shalev-Shwartz, Singer, Srebro, Cotter:
// Pegasos, 2011, algorithm 1) for any loss.
//
//	Problem    minimise P(w,b) with penalty l2; the loss has a bounded slope or curvature
//	Update     w <- (1 - 1/t) w - g x_i/(lambda t), then w <- w min(1, R/|w|)
//	           R^2 = P(0)/lambda contains the optimum: P(0) >= P(w*) + lambda |w*|^2
//	Free bias  b <- b - g/sqrt(t), and the best b for the weights returned
//	Returned   the average of the iterates, step t with weight t, or the last, whichever is better
//	Rate       E P - P* = O(log t/(lambda t)), whatever the number of rows
//	Memory     two numbers a row, for the dual variables, and four a feature
func init() {
	register("primal stochastic subgradient with projection and averaging: any loss, penalty l2, small gaps take long",
		registry.Facts{Rate: "log t/(lambda t) in steps", Memory: "two numbers a row", Source: "Shalev-Shwartz, Singer, Srebro, Cotter 2011"},
		Method{name: "pegasos", ball: true, output: "best"})
}
