package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Poisson is e^p - y p + y log y - y for targets y >= 0: the prediction is the logarithm of
// a mean, and y is how often something happened. With r = p - log y it is y (e^r - 1 - r).
//
// With b = a + y: l*(a) = b log b - b - y log y + y on b >= 0, where 0 log 0 = 0. No slope
// reaches the end b = 0, but the conjugate does.
type Poisson struct{}

var (
	_ SelfConcordant = Poisson{}
	_ targeted       = Poisson{}
	_ LogLinked      = Poisson{}
	_ Batch          = Poisson{}
	_ scored         = Poisson{}
	_ Numeric        = Poisson{}
	_ Invertible     = Poisson{}
)

func init() {
	register("poisson", "exp(p) - yp: counts y >= 0, of which exp(p) is the mean", Poisson{})
}

// Value sums a series near the minimum, where the terms of the formula cancel.
func (Poisson) Value(p, y float64) float64 {
	mean := elementary.Exp(p)
	if y == 0 || math.IsInf(mean, 1) {
		return mean
	}
	r := p - elementary.Log(y)
	if r < -1 || r > 2 {
		return mean - float64(y*(1+r))
	}
	sum := 1.0
	for k := 24.0; k > 2; k-- { // r^2/2 (1 + r/3 (1 + r/4 (...)))
		sum = 1 + float64(sum*r)/k
	}
	return float64(y*r) * float64(r*sum) / 2
}

// ValueTo is Value of many rows; slopes have room for the rounding of the exponential.
func (l Poisson) ValueTo(value, slope, p, y, reach []float64) {
	for i, y := range y {
		lo, hi := p[i]-reach[i], p[i]+reach[i]
		value[i] = l.Value(p[i], y)
		slope[i] = max(math.Abs(l.Derivative(lo, y)), math.Abs(l.Derivative(hi, y))) + float64(0x1p-50*elementary.Exp(hi))
	}
}

// Score is the deviance.
func (Poisson) Score() (name string, tau float64) { return "deviance", 0 }

// UsualC is one over the mean, which is how much the loss is curved there.
func (Poisson) UsualC(scale, mean float64) float64 { return 1 / mean }

// Derivative returns e^p - y.
func (Poisson) Derivative(p, y float64) float64 { return elementary.Exp(p) - y }

// Mean returns e^p.
func (Poisson) Mean(p float64) float64 { return elementary.Exp(p) }

// OfLogarithms says that predictions are logarithms of means.
func (Poisson) OfLogarithms() {}

// Curvature returns e^p.
func (Poisson) Curvature(p, y float64) float64 { return elementary.Exp(p) }

// SelfConcordance is 1: e^p is its own derivative.
func (Poisson) SelfConcordance() float64 { return 1 }

// Conjugate takes out a log y where b is near y, and the rest cancels.
func (Poisson) Conjugate(a, y float64) float64 {
	b := a + y
	if math.Abs(a) <= y/2 && y > 0 {
		return float64(a*elementary.Log(y)) + (float64(b*elementary.Log1p(a/y)) - a)
	}
	return surprise(b) - surprise(y)
}

// surprise returns b log b - b.
func surprise(b float64) float64 {
	if b <= 0 {
		return 0
	}
	return b * (elementary.Log(b) - 1)
}

// ConjugateTo is Conjugate of many rows.
func (l Poisson) ConjugateTo(dst, a, y []float64) {
	for i, y := range y {
		dst[i] = l.Conjugate(a[i], y)
	}
}

// Domain is [-y, +Inf).
func (Poisson) Domain(y float64) (lo, hi float64) { return -y, math.Inf(1) }

// Targets are the numbers from 0.
func (Poisson) Targets() (least, most float64) { return 0, math.Inf(1) }

// Prox solves u + step e^u = z, z = v + step y. With w = u + log step that is
// w + e^w = z + log step, by Newton's method: the left side is convex, and from above
// no step goes too far. w is below the right side, and below its logarithm if that is positive.
func (Poisson) Prox(v, step, y float64) float64 {
	z, scale := v+float64(step*y), elementary.Log(step)
	target := z + scale
	w := target
	if target > 1 {
		w = elementary.Log(target)
	}
	if target > 1e300 {
		return w - scale
	}
	for range 50 {
		e := elementary.Exp(w)
		move := (w + e - target) / (1 + e)
		w -= move
		if math.Abs(move) <= 1e-16*(1+math.Abs(w)) || move < 0 && math.Abs(move) < 1e-12 { // what is left is rounding
			break
		}
	}
	if e := elementary.Exp(w); e <= 1 {
		return z - e
	}
	return w - scale
}

// Inverse returns log(a + y), minus infinity at the end that no slope reaches.
func (Poisson) Inverse(a, y float64) (lo, hi float64) {
	p := elementary.Log(max(a+y, 0))
	return p, p
}

// Straight is false: the inverse is a logarithm.
func (Poisson) Straight() bool { return false }

// Smoothness is infinite: the curvature has no bound.
func (Poisson) Smoothness() float64 { return math.Inf(1) }
