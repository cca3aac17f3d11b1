package stochastic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic/iterate"
)

// Catalyst accelerates a method for finite sums (Lin, Mairal, Harchaoui: A universal catalyst for
// first-order optimization, 2015).
//
//	Problem  minimise P(w,b) with penalty l2 and a smooth loss, ill-conditioned: L/lambda > n
//	Update   in every pass SAGA goes towards argmin P(w) + kappa |w - y|^2/2, then
//	         y <- w + (w - w_before) (1 - sqrt q)/(1 + sqrt q),  q = lambda/(lambda + kappa)
//	         kappa = (L - lambda)/(n+1) - lambda; none if that is not positive
//	Rate     linear, passes like sqrt(L/(n lambda)), where SAGA takes L/(n lambda)
//	Memory   one number a row, six a feature
func init() {
	register("SAGA accelerated by extrapolation (Catalyst): smooth losses, penalty l2, lambda far below L/n",
		registry.Facts{Rate: "linear, passes like 1 + sqrt(L/(n lambda))", Memory: "one number a row", Source: "Lin, Mairal, Harchaoui 2015"},
		Method{name: "catalyst", gradient: "saga", extra: -1}.usual())
}

// catalyst is the pull towards a centre y.
type catalyst struct {
	kappa, beta float64
	before, y   []float64
}

// newCatalyst returns that of a run that begins at w, nil if there is nothing to accelerate.
func newCatalyst(s *state, w []float64) *catalyst {
	kappa, lambda := s.extra, s.p.Lambda
	if kappa < 0 {
		kappa = (s.smoothness()-lambda)/float64(len(s.p.Y)+1) - lambda
	}
	if !(kappa > 0) {
		return nil
	}
	root := math.Sqrt(lambda / (lambda + kappa))
	c := &catalyst{kappa: kappa, beta: (1 - root) / (1 + root), before: make([]float64, len(s.last)), y: make([]float64, len(s.last))}
	copy(c.before, w)
	return c
}

// extrapolate moves the centre, and with it the direction of all steps.
func (c *catalyst) extrapolate(s *state) {
	s.iterate.Last(s.last)
	delayed := s.iterate.(iterate.Delayed)
	delayed.Direction(s.average)
	for j, w := range s.last {
		y := w + float64(c.beta*(w-c.before[j]))
		s.average[j] -= float64(c.kappa * (y - c.y[j]))
		c.before[j], c.y[j] = w, y
	}
	delayed.Direct(s.average)
}
