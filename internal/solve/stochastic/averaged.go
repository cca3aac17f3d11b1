package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// ASGD is averaged stochastic gradient with a constant step: the 1/t method for least squares
// without strong convexity (Bach, Moulines 2013; Polyak, Juditsky 1992).
//
//	Problem   minimise P(w,b), lambda as small as wanted
//	Update    w <- (1 - eta lambda) w - eta g x_i, eta = 1/(4 max L_i), always
//	Returned  the mean of all iterates
//	Rate      least squares: E P - P* = O(1/t) without lambda; other losses: to a distance of O(eta)
//	Memory    two numbers a row, for the dual variables, and four a feature
//
// Stochastic-newton is the two-phase method of Newton's kind (Bach, Moulines: Non-strongly-convex smooth stochastic
// approximation with convergence rate O(1/n), 2013).
//
//	Problem   minimise P(w,b) with penalty l2, lambda as small as wanted, for a loss with a second
//	          derivative
//	Update    a pass of averaged stochastic gradient finds w~; then constant steps on the quadratic
//	          model there: w <- w - eta (l'(m~_i) + l''(m~_i) <w - w~, x_i>) x_i
//	Returned  the mean of the iterates of the second phase
//	Rate      E P - P* = O(1/t) without strong convexity, to the error of the model
//	Memory    one number a row, four a feature
func init() {
	register("averaged stochastic gradient with a constant step: least squares with a small lambda",
		registry.Facts{Rate: "1/t in steps for least squares, whatever lambda", Memory: "two numbers a row", Source: "Bach, Moulines 2013"},
		Method{name: "asgd", step: "lipschitz", gamma: 0.25, output: "average"})
	register("averaged constant steps on a quadratic model (Bach, Moulines): smooth losses, penalty l2, small lambda",
		registry.Facts{Rate: "1/t in steps, whatever lambda", Memory: "one number a row", Source: "Bach, Moulines 2013"},
		Method{name: "stochastic-newton", gradient: "newton", step: "lipschitz", gamma: 0.25, output: "average"})
}
