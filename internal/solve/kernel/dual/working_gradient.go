package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
)

// gradient solves the dual problem of a working set by the projected gradient method with the
// steps of Barzilai and Borwein (Zanni, Serafini, Zanghirati 2006; reference svm, T6), for losses
// with a single corner t_i:
//
//	Problem   min beta^T K beta/2 - t^T beta,  lo <= beta <= hi,  sum beta as it is if the bias is free
//	Update    d = P(beta - s (r - t)) - beta,  beta += u d,  u = min(1, -(r - t)^T d / d^T K d)
//	          s = d^T d / d^T K d
//
// where P is the nearest point of the box that keeps the sum: beta - s (r - t) - theta, cut off at
// the bounds, theta found by bisection. Each step falls, as u is exact.
type gradient struct {
	at, d, image []float64
	step         float64
}

// mostGradients is how many steps are made at most for each coefficient of a set.
const mostGradients = 50

// descend makes steps until the violation is at most goal.
func (b *block) descend(goal float64) {
	g, n := &b.gradient, len(b.R)
	g.at, g.d, g.image = resize(g.at, n), resize(g.d, n), resize(g.image, n)
	g.step = 1 / max(b.widest(), 1e-300)
	b.settled = false
	for k := range mostGradients * (n + 10) {
		if !(b.violation() > goal) || b.Limit.Reached() {
			return
		}
		if !b.downhill() {
			if !b.advance(goal) { // the projection's roundings hide what a pair still gains
				b.settled = k == 0
				return
			}
		}
	}
}

// widest is the sum of the diagonal, which no curvature exceeds.
func (b *block) widest() float64 {
	sum := 0.0
	for _, k := range b.K {
		sum += k
	}
	return sum
}

// downhill makes a step; false: none falls.
func (b *block) downhill() bool {
	g := &b.gradient
	b.project()
	slope, length := 0.0, 0.0
	for i := range g.d {
		slope += float64(b.slope(i) * g.d[i])
		length += float64(g.d[i] * g.d[i])
	}
	if !(slope < 0) {
		return false
	}
	clear(g.image)
	for i, d := range g.d {
		if d != 0 {
			vec.Axpy64(g.image, d, b.row(i))
		}
	}
	u, bend := 1.0, vec.Dot64(g.d, g.image)
	if bend > 0 {
		u, g.step = min(1, -slope/bend), length/bend
	} else {
		b.Negative = min(b.Negative, bend/length)
	}
	moved := false
	for i, d := range g.d {
		if d != 0 {
			before := b.Beta[i]
			b.set(i, min(max(before+float64(u*d), b.Lo[i]), b.Hi[i]))
			moved = moved || b.Beta[i] != before
		}
	}
	vec.Axpy64(b.R, u, g.image)
	return moved
}

// slope is the derivative, with the one corner of the loss.
func (b *block) slope(i int) float64 { return b.R[i] - cornerOf(b.loss, b.y[i]) }

// project sets d to the way to the projection of a gradient step.
func (b *block) project() {
	g := &b.gradient
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, beta := range b.Beta {
		g.at[i] = beta - float64(g.step*b.slope(i))
		lo, hi = min(lo, g.at[i]-b.Hi[i]), max(hi, g.at[i]-b.Lo[i])
	}
	theta := 0.0
	if b.free {
		for range 100 {
			theta = lo + (hi-lo)/2
			if b.excess(theta) > 0 {
				lo = theta
			} else {
				hi = theta
			}
		}
	}
	rest, room := b.excess(theta), -1
	for i := range g.d {
		to := min(max(g.at[i]-theta, b.Lo[i]), b.Hi[i])
		g.d[i] = to - b.Beta[i]
		if to > b.Lo[i] && to < b.Hi[i] {
			room = i
		}
	}
	if b.free && room >= 0 { // what bisection leaves
		g.d[room] = min(max(g.d[room]-rest, b.Lo[room]-b.Beta[room]), b.Hi[room]-b.Beta[room])
	}
}

// excess is what the projection for a theta adds to the sum of the coefficients.
func (b *block) excess(theta float64) float64 {
	var sum vec.Sum
	for i, at := range b.gradient.at {
		sum.Add(min(max(at-theta, b.Lo[i]), b.Hi[i]) - b.Beta[i])
	}
	return sum.Value()
}

// resize returns n numbers.
func resize(v []float64, n int) []float64 {
	if cap(v) < n {
		v = make([]float64, n)
	}
	return v[:n]
}

// singleCorner reports whether a loss is straight but for one corner.
func singleCorner(l loss.Loss) bool {
	c, ok := l.(loss.Cornered)
	if !ok {
		return false
	}
	slope, ramps := c.Ramps(1)
	return ramps[0].Width == 0 && ramps[1].Jump == 0 && !math.IsInf(slope, 0) && !math.IsInf(ramps[0].Jump, 0)
}

// cornerOf is where it is.
func cornerOf(l loss.Loss, y float64) float64 {
	_, ramps := l.(loss.Cornered).Ramps(y)
	return ramps[0].At
}
