package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// SGD is the stochastic (sub)gradient method.
//
//	Problem   minimise P(w,b) with penalty l2, elastic-net, or l1 with step=sqrt; the loss has a
//	          bounded slope or curvature
//	Update    w <- S((1 - eta lambda l2) w - eta g x_i, eta lambda l1)
//	          eta = 1/(mu t + L): of the order of the best constant step at first (Bottou 2012)
//	Returned  the average of the iterates, step t with weight t, or the last, whichever is better;
//	          with l1 the last, which has zeros
//	Rate      E P - P* = O(1/(mu t))
//	Memory    two numbers a row, for the dual variables, and four a feature
func init() {
	register("stochastic gradient with steps 1/(mu t + L): any loss, elastic penalties; step=sqrt, gamma=auto, batch=1, growth=1",
		registry.Facts{Rate: "1/(mu t) in steps", Memory: "two numbers a row", Source: "Robbins, Monro 1951; Bottou 2012"},
		Method{name: "sgd", offset: -1, output: "best"})
}
