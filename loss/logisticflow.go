package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Flow solves d + e^m (e^d - 1) = h for the rise d of the margin m = yp: with W of Lambert, x = h + m + e^m,
// it is x - m - W(e^x), which would lose all digits where e^m is large. Newton's method comes down from a
// bound above the root, since the left side is convex in d; three or four steps are usual.
func (Logistic) Flow(p, y, h float64) float64 {
	m := y * p
	slope := elementary.Sigmoid(-m) // dm/dt at 0
	d := float64(h * slope)
	if m < 0 {
		d = min(d, elementary.Log1p(h*elementary.Exp(-m)))
	}
	// Divided by 1 + e^m, which may be infinite: slope d + (1-slope)(e^d - 1) = h slope.
	rest := elementary.Sigmoid(m)
	for range 60 {
		e := expm1(d)
		f := float64(slope*d) + float64(rest*e) - float64(h*slope)
		next := d - f/(slope+float64(rest*(e+1)))
		if !(next < d && next >= 0) { // rounding alone is left
			break
		}
		last := d - next
		if d = next; last <= 1e-9*d { // the next step would be its square
			break
		}
	}
	return y * d
}

// expm1 returns e^x - 1 without losing x when it is small.
func expm1(x float64) float64 {
	if math.Abs(x) > 0x1p-7 {
		return elementary.Exp(x) - 1
	}
	r := math.FMA(x, 1./720, 1./120)
	for _, c := range [...]float64{1. / 24, 1. / 6, 1. / 2} {
		r = math.FMA(x, r, c)
	}
	return math.FMA(float64(x*x), r, x)
}
