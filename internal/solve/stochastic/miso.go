package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// MISO, or Finito, minimises a mean of quadratic lower bounds of the rows' functions (Mairal 2015;
// Defazio, Domke, Caetano 2014), in the form of Lin, Mairal and Harchaoui for any n.
//
//	Problem  minimise P(w) with penalty l2 and a smooth loss, without a free bias
//	Update   y_i <- y_i + a (g - y_i), w = -sum_i y_i x_i/(lambda n), a = min(1, n lambda/(2 L))
//	         rows in an order drawn for every pass
//	Rate     linear: (1 - min(1/n, lambda/(2 L)))^t
//	Memory   one number a row, where other losses need one a row and feature; four a feature
func init() {
	register("MISO/Finito: smooth losses, penalty l2, no free bias, linear convergence",
		registry.Facts{Rate: "linear, passes like 1 + L/(n lambda)", Memory: "one number a row", Source: "Mairal 2015; Defazio, Domke, Caetano 2014"},
		Method{name: "miso", gradient: "miso", sampling: "permuted", output: "best"}.usual())
}
