package stochastic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/problem"
)

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

// Projected stochastic gradients for the least mean loss on a ball (Cotter 2013, section 2.1; Ulbrich
// 2017, algorithm 4.2).
//
//	Problem   minimise (1/N) sum_i s_i l_i(<w,x_i> + b) over |w|_2 <= R
//	Update    w <- w - eta g x_i, then w <- w min(1, R/|w|); eta = R sqrt(2/t)/G, G the largest norm
//	          of a gradient of a row on the ball
//	Returned  the average of the iterates
//	Rate      E P - P* <= 2 sqrt(2) R G/sqrt(T), whatever the number of rows
//	Memory    two numbers a row, for the dual variables, and three a feature
func init() {
	register("stochastic gradient on the ball |w| <= R with averaging: any loss, a radius with the penalty l2",
		registry.Facts{Rate: "R G/sqrt(t) in steps", Memory: "two numbers a row", Source: "Cotter 2013, section 2.1"},
		Method{name: "projected-sgd", step: "radius", output: "average"})
}

// steepest bounds the norm of the gradient of the loss of a row, over its share of the draws, on a ball:
// the largest slope is at an end of the loss's domain or, if that is infinite, at the largest
// prediction.
func (s *state) steepest(radius float64) float64 {
	largest := 0.0
	for i, y := range s.p.Y {
		length := s.p.SquaredNorm[i]
		if s.p.Bias != problem.None {
			length++
		}
		size := math.Sqrt(length)
		lo, hi := s.p.Loss.Domain(y)
		slope := max(-lo, hi)
		if math.IsInf(slope, 1) {
			reach := float64(radius*size) + math.Abs(s.b)
			slope = max(math.Abs(s.p.Loss.Derivative(reach, y)), math.Abs(s.p.Loss.Derivative(-reach, y)))
		}
		largest = max(largest, float64(s.share(i)*s.sampler.weight(i)*slope*size))
	}
	if largest == 0 {
		return 1
	}
	return largest
}
