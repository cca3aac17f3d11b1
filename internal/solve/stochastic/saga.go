package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// SAGA keeps the last slope of every row, as SAG, but its estimate is unbiased (Defazio, Bach,
// Lacoste-Julien: SAGA, 2014).
//
//	Problem  minimise P(w,b) with penalty l2, l1 or elastic-net and a smooth loss
//	Update   w <- prox(w - eta ((g - y_i) x_i + h)), y_i <- g, h the mean of all y_i x_i
//	         eta = 1/(3 L)
//	Rate     linear: (1 - min(1/(4n), mu/(3 L)))^t
//	Memory   one number a row, four a feature
func init() {
	register("SAGA: smooth losses, elastic penalties, linear convergence; sampling=uniform, batch=1",
		registry.Facts{Rate: "linear, passes like 1 + L/(n mu)", Memory: "one number a row", Source: "Defazio, Bach, Lacoste-Julien 2014"},
		Method{name: "saga", gradient: "saga", output: "best"}.usual())
}
