package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// Exponentiated gradients: the limit p -> 1 of the primal gradient solver, by mirror descent with
// the entropy (Kivinen, Warmuth 1997).
//
//	Problem   minimise P(w,b) with penalty l1, within |w|_1 <= P(0)/lambda, which contains the
//	          optimum: P(0) >= lambda |w*|_1
//	Update    package iterate, Entropic; eta = gamma/sqrt(t), gamma chosen on some rows
//	Returned  the average of the iterates, step t with weight t, or the last, whichever is better
//	Rate      E P - P* = O(B X_inf sqrt(log d/t)): the number of features d hardly counts
//	Memory    two numbers a row, for the dual variables, and three a feature
func init() {
	register("exponentiated gradients (EG+-): any loss, penalty l1, very many features; gamma=auto",
		registry.Facts{Rate: "sqrt(log d/t) in steps", Memory: "two numbers a row", Source: "Kivinen, Warmuth 1997"},
		Method{name: "exponentiated", geometry: "entropic", step: "sqrt", output: "best"})
}
