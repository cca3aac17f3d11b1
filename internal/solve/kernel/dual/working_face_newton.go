package dual

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
)

// solve goes on until the violation is at most goal, and reports whether the
// arithmetic ended it before.
func (f *face) solve(goal float64) (settled bool) {
	for range mostProximal {
		before := f.violation()
		steps := f.minimise()
		if f.Limit.Reached() {
			return false
		}
		if steps == mostNewton {
			f.mu *= 8
			continue
		}
		f.mend()
		t := f.adopt()
		if t == 0 {
			return true
		}
		switch after := f.violation(); {
		case after <= goal:
			return false
		case f.mu == f.least && after > before/2:
			return true
		}
		f.mu = max(f.mu/quicker(steps), f.least)
	}
	return false
}

// quicker returns by how much mu may fall after a proximal point that took so many
// steps.
func quicker(steps int) float64 {
	switch {
	case steps <= 5:
		return 10
	case steps <= 12:
		return 4
	}
	return 2
}

// minimise makes steps of Newton's method from where the coefficients stand, and
// returns their number, mostNewton if the minimum was not found.
func (f *face) minimise() (steps int) {
	copy(f.anchor, f.Beta)
	copy(f.v, f.Beta)
	copy(f.p, f.R)
	f.sum, f.bias = vec.Total(f.Beta), f.Dual.bias()
	f.answer()
	for steps = range mostNewton {
		t := f.descend()
		if f.Limit.Reached() {
			return steps
		}
		if changed := f.answer(); t == 0 || t == 1 && !changed {
			return steps
		}
	}
	return mostNewton
}

// answer sets best and slope to what belongs to the predictions, and reports whether
// a slope or a side of a corner changed: if not, a full step of Newton's method was
// the last one.
func (f *face) answer() (changed bool) {
	for i, p := range f.p {
		b, slope := f.answerOf(i, p+f.bias)
		changed = changed || slope != f.slope[i] || math.Signbit(b) != math.Signbit(f.best[i])
		f.best[i], f.slope[i] = b, slope
	}
	return changed
}

// answerOf returns B_i(p), and how fast it falls with p.
func (f *face) answerOf(i int, p float64) (b, slope float64) {
	p -= float64(f.mu * f.anchor[i])
	if l, curved := f.loss.(loss.Curved); curved && !f.loss.Straight() {
		c, y := f.C[i], f.y[i]
		u := l.Prox(p, float64(f.mu*c), y) // Moreau: the slope of the loss there is a
		h := c * l.Curvature(u, y)
		return -c * l.Derivative(u, y), h / (1 + float64(f.mu*h))
	}
	stiff := f.mu + f.sigma/f.C[i]
	switch above, below := f.above[i]-p, f.below[i]-p; {
	case above > 0:
		b = above / stiff
	case below < 0:
		b = below / stiff
	default:
		return 0, 0
	}
	if b >= f.Hi[i] {
		return f.Hi[i], 0
	}
	if b <= f.Lo[i] {
		return f.Lo[i], 0
	}
	return b, 1 / stiff
}

// aim sets the direction.
func (f *face) aim() {
	if f.free && !slices.ContainsFunc(f.slope, func(s float64) bool { return s > 0 }) {
		f.centre()
		f.answer()
	}
	f.inside = f.inside[:0]
	moves := false
	for i, s := range f.slope {
		f.delta[i] = 0
		if s > 0 {
			f.inside = append(f.inside, i)
		} else if f.delta[i] = f.best[i] - f.v[i]; f.delta[i] != 0 {
			moves = true
		}
	}
	clear(f.change)
	if moves {
		f.k.times(f.change, f.delta)
	}
	f.turn = 0
	if len(f.inside) > 0 {
		f.solveFace(f.sum - vec.Total(f.v) - vec.Total(f.delta))
	}
	f.k.times(f.change, f.delta)
}

// solveFace sets delta where D is not zero, so that its sum there is rest, and turn, given
// what the others change.
func (f *face) solveFace(rest float64) {
	f.weight, f.rhs, f.ones = f.weight[:0], f.rhs[:0], f.ones[:0]
	for _, i := range f.inside {
		f.weight = append(f.weight, 1/f.slope[i])
		f.rhs = append(f.rhs, (f.best[i]-f.v[i])/f.slope[i]-f.change[i])
		f.ones = append(f.ones, 1)
	}
	f.k.factor(f.inside, f.weight)
	f.k.solve(f.rhs)
	if f.free {
		f.k.solve(f.ones)
		f.turn = (vec.Total(f.rhs) - rest) / vec.Total(f.ones)
		vec.Axpy64(f.rhs, -f.turn, f.ones)
	}
	for k, i := range f.inside {
		f.delta[i] = f.rhs[k]
	}
}

// slopeAt is the derivative of the function of v and the bias at a place along the
// direction: (v - B)^T K delta + turn (sum - 1^T B).
func (f *face) slopeAt(t float64) float64 {
	var slope, sum vec.Sum
	for i, h := range f.change {
		b, _ := f.answerOf(i, f.p[i]+f.bias+float64(t*(h+f.turn)))
		slope.Add((f.v[i] + float64(t*f.delta[i]) - b) * h)
		sum.Add(b)
	}
	return slope.Value() + float64(f.turn*(f.sum-sum.Value()))
}

// descend makes a step of Newton's method and returns how far it went, 0 if nothing
// but roundings is left.
func (f *face) descend() (t float64) {
	if f.aim(); f.Limit.Reached() {
		return 0
	}
	size := 0.0
	for i, v := range f.v {
		size += math.Abs(v * f.p[i])
	}
	before := f.slopeAt(0)
	if !(before < -1e-14*size) {
		return 0
	}
	t = 1
	if after := f.slopeAt(1); after > -0.1*before {
		t = f.search(before, after)
	}
	vec.Axpy64(f.v, t, f.delta)
	vec.Axpy64(f.p, t, f.change)
	f.bias += float64(t * f.turn)
	return t
}

// search finds where the slope is a tenth of what it is at 0, or less, given that it is
// before < 0 there and after > 0 at 1, by false position as line.bracket does.
func (f *face) search(before, after float64) (t float64) {
	lo, hi, below, above := 0.0, 1.0, before, after
	for range 40 {
		t = lo + float64((hi-lo)*(below/(below-above)))
		if !(t > lo && t < hi) {
			return lo
		}
		switch g := f.slopeAt(t); {
		case math.Abs(g) <= -0.1*before:
			return t
		case g < 0:
			lo, below, above = t, g, above/2
		default:
			hi, above, below = t, g, below/2
		}
	}
	return lo
}

// centre moves the bias to where the answers have the right sum.
func (f *face) centre() {
	lo, hi := f.bias, f.bias
	for step := 1e-3 * (1 + math.Abs(lo)); f.excess(lo) < 0 && !math.IsInf(lo, 0); step *= 2 {
		lo -= step
	}
	for step := 1e-3 * (1 + math.Abs(hi)); f.excess(hi) > 0 && !math.IsInf(hi, 0); step *= 2 {
		hi += step
	}
	for range 100 {
		middle := lo + (hi-lo)/2
		if !(middle > lo && middle < hi) {
			break
		}
		if f.excess(middle) > 0 {
			lo = middle
		} else {
			hi = middle
		}
	}
	if !math.IsInf(hi, 0) {
		f.bias = hi
	}
}

// excess returns by how much the sum of the answers with a bias is too large: it
// falls as the bias grows.
func (f *face) excess(bias float64) float64 {
	var sum vec.Sum
	for i, p := range f.p {
		b, _ := f.answerOf(i, p+bias)
		sum.Add(b)
	}
	return sum.Value() - f.sum
}
