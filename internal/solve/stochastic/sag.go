package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// SAG is the stochastic average gradient (Schmidt, Le Roux, Bach: Minimizing finite sums with the
// stochastic average gradient, 2017).
//
//	Problem  minimise P(w,b) with penalty l2 and a smooth loss
//	Update   y_i <- g, h <- sum of all y_i x_i, w <- (w - (eta/m) h)/(1 + eta lambda)
//	         m the number of rows seen; eta = gamma/L with a line search for L
//	Rate     linear: (1 - min(lambda/(16 L), 1/(8n)))^t for eta = 1/(16 L)
//	Memory   one number a row, four a feature
//
// step=lipschitz takes the largest L_i; sampling=lipschitz draws rows by them, with steps up to
// 1 over the mean.
func init() {
	register("stochastic average gradient: smooth losses, penalty l2, linear convergence; step=search",
		registry.Facts{Rate: "linear, passes like 1 + L/(n lambda)", Memory: "one number a row", Source: "Schmidt, Le Roux, Bach 2017"},
		Method{name: "sag", gradient: "sag", step: "search", gamma: 1, output: "best"})
}
