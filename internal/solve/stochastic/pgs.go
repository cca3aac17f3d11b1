package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// PGS is the primal gradient solver (Zhu, Chen, Wang, Zhu, Chen: Inverse time dependency in convex
// regularized learning, 2009, figures 1 and 2).
//
//	Problem   minimise P(w) with penalty l2, or lp: sigma |w|_p^2/(2(p-1)), 1 < p <= 2
//	Update    theta <- theta - g x_i, w = gradient of the conjugate at theta/((t+1) sigma)
//	          for losses without a bounded slope within |w|_p <= sqrt((p-1) P(0)/sigma), which
//	          contains the optimum; theta is never projected
//	Returned  the average of the iterates, step t with weight t, or the last, whichever is better;
//	          the paper returns a random one: output=random
//	Rate      E P - P* <= G^2 X_q^2 (1 + ln T)/(2 sigma T), X_q the largest q-norm of a row
//	Memory    two numbers a row, for the dual variables, and three a feature
//
// The time to a given error on new rows falls with the number of rows at hand: the penalty may be
// smaller, or the answer coarser, and a step costs the same.
func init() {
	register("primal gradient solver (dual averaging): any loss, penalty l2 or lp; batch=1, output=best",
		registry.Facts{Rate: "log t/(lambda t) in steps, for l2 and lp", Memory: "two numbers a row", Source: "Zhu, Chen, Wang, Zhu, Chen 2009"},
		Method{name: "pgs", geometry: "p-norm", output: "best"})
}
