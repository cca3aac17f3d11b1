package oja

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Krasulina moves U by what it leaves of a row:
//
//	U <- orth( U + eta_t y r^T ),   y = U x,   r = x - U^T y
//
// Where the rows have rank k, nearly, r vanishes at the answer, and so does the
// noise of the step: convergence is exponential with steps that do not decrease. U is
// orthonormal after every step, for its rows are multiplied by the inverse root of
//
//	(U + eta y r^T)(U + eta y r^T)^T = I + eta^2 |r|^2 y y^T.
//
// Returned: U. Cost of a step: O(k d).
//
// Krasulina 1969; Tang 2019, Algorithm 1, for k > 1.
type Krasulina struct{ Steps schedule.Schedule }

func init() {
	method.Register("krasulina", "matrix Krasulina: exponentially fast on rows of rank k; "+schedulesHelp,
		func(p *registry.Params) (method.Method, error) { return Krasulina{stepsOf(p)}, p.Err() })
}

// Start implements Streaming.
func (m Krasulina) Start(p method.Problem) method.State {
	return newRankOne(p, rule{longest: longestStep, move: krasulina, every: algebra.SteadySteps}, m.Steps)
}

// krasulina is the move of the step and of what makes it orthonormal: with
// a = eta^2 |r|^2 and the inverse root I + g y y^T, g = (1/sqrt(1+a yy) - 1)/yy,
//
//	U'' = U + y ( eta (1 + g yy) r + g U^T y )^T.
func krasulina(eta, xx, yy float64) (alpha, beta float64) {
	a := eta * eta * max(0, xx-yy)
	root := math.Sqrt(1 + float64(a*yy))
	alpha = eta / root
	return alpha, -a/(root*(1+root)) - alpha
}
