package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// Growing batches: stochastic gradient whose noise vanishes (Byrd, Chin, Nocedal, Wu 2012;
// Friedlander, Schmidt 2012), with the steps of Gower et al. 2019.
//
//	Problem   minimise P(w,b) with penalty l2, l1 or elastic-net and a smooth loss
//	Update    w <- S((1 - eta lambda) w - eta (mean of g_i x_i over a batch), ...), eta = 1/L_b, the expected
//	          smoothness of a batch (smoothness.go): that of one row at first, that of the mean of all at last
//	          the batch doubles when the noise of its gradient costs more than the last pass gained, or
//	          grows by a factor a step: growth=1.01
//	Returned  the last iterate
//	Rate      linear in steps; O(1/eps) rows in all
//	Memory    two numbers a row, for the dual variables, and four a feature
func init() {
	register("gradient on batches that grow: smooth losses, elastic penalties; growth=test or a factor a step",
		registry.Facts{Rate: "1/t in rows, linear in steps", Memory: "two numbers a row", Source: "Byrd, Chin, Nocedal, Wu 2012"},
		Method{name: "growing", step: "lipschitz", gamma: 1, batch: 1, sampling: "permuted", output: "last", tested: true})
}
