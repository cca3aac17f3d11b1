package stochastic

import "github.com/fenchel-ml/fenchel/internal/registry"

// SVRG corrects each gradient by that at a snapshot (Johnson, Zhang 2013), and S2GD draws how many
// steps there are to the next one (Konecny, Richtarik 2013).
//
//	Problem  minimise P(w,b) with penalty l2, l1 or elastic-net and a smooth loss
//	Update   w <- prox(w - eta ((g - g_i at the snapshot) x_i + h)), h the gradient at the snapshot
//	         inner steps: 2n for svrg; at most 4n for s2gd; eta = 1/(4 L)
//	Rate     linear: each snapshot is better by 1/(mu eta (1-2 L eta) M) + 2 L eta/(1-2 L eta)
//	Memory   one number a row, the slopes at the snapshot, and five a feature
func init() {
	register("SVRG: smooth losses, elastic penalties, linear convergence; inner=2 passes, snapshot=last",
		registry.Facts{Rate: "linear, passes like 1 + L/(n mu)", Memory: "one number a row", Source: "Johnson, Zhang 2013"},
		Method{name: "svrg", gradient: "svrg", output: "best", inner: 2}.usual())
	register("S2GD, SVRG with random numbers of inner steps: smooth losses, elastic penalties; inner=4 passes at most",
		registry.Facts{Rate: "linear, passes like 1 + L/(n mu)", Memory: "one number a row", Source: "Konecny, Richtarik 2013"},
		Method{name: "s2gd", gradient: "s2gd", output: "best", inner: 4}.usual())
}
