package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/penalty"
)

// Bounded is a problem whose weights lie in a ball. Its certificates are of the point
// brought inside, whatever point they are asked of: Inside returns that point, w itself
// where it is one. A vector whose norm is no number is returned as it is.
type Bounded interface {
	Problem
	Inside(w []float64) []float64
}

// Inside scales w, and with it a bias that is a feature, into the ball that the penalty is of; w where it
// is of none.
func (p *Linear) Inside(w []float64) []float64 {
	k := p.Penalised()
	ball, ok := p.Penalty.(penalty.Confined)
	if !ok || p.Penalty.Value(w[:k]) == 0 || !(largestOf(w) <= math.MaxFloat64) {
		return w
	}
	inside := append([]float64(nil), w...)
	ball.Shorten(inside[:k])
	return inside
}

// Inside scales w, and with it a bias that is a part of it.
func (p *NormConstrained) Inside(w []float64) []float64 {
	n, cols := p.Len(), p.Len()
	if p.Bias == Feature {
		cols++
	}
	return shorten(w, cols, func(w []float64) float64 {
		r := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(w[:n])
		return insideBall(p.Radius, r.size2(p.Constant()*w[n]*w[n]))
	})
}

// shorten scales the first cols numbers of w until all of it is inside. Where coefficients cancel, as
// those of equal rows do, much of a norm is rounding, and scaled ones have another: every further
// step is larger.
func shorten(w []float64, cols int, inside func(w []float64) float64) []float64 {
	for step := unit; ; step *= 2 {
		by := inside(w)
		if by == 1 || math.IsNaN(by) {
			return w
		}
		scaled := times(w, by*max(0.5, 1-step))
		copy(scaled[cols:], w[cols:])
		w = scaled
	}
}

// times returns factor times w, or w itself where the factor is 1 or no number.
func times(w []float64, factor float64) []float64 {
	if factor == 1 || math.IsNaN(factor) {
		return w
	}
	scaled := make([]float64, len(w))
	for j, x := range w {
		scaled[j] = factor * x
	}
	return scaled
}

// insideBall returns how much of a vector is inside of the ball, all or a part;
// its squared norm is at most squared. Of one whose norm is no number nothing is
// known.
func insideBall(radius, squared float64) float64 {
	if !(squared <= math.MaxFloat64) {
		return math.NaN()
	}
	if size := math.Sqrt(squared); size > radius {
		return float64(radius/size) * (1 - 8*unit)
	}
	return 1
}
