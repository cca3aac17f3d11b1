package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// EpsilonInsensitive is max(0, |p-y|-Epsilon): support vector regression.
//
// l*(a) = a y + epsilon |a| on -1 <= a <= 1.
type EpsilonInsensitive struct{ Epsilon float64 }

var (
	_ Cornered   = EpsilonInsensitive{}
	_ Invertible = EpsilonInsensitive{}
	_ Tube       = EpsilonInsensitive{}
	_ scored     = EpsilonInsensitive{}
	_ Numeric    = EpsilonInsensitive{}
)

func init() {
	registerWith("epsilon-insensitive", "max(0, |p-y|-epsilon), epsilon=0.1 (10% without C): support vector regression", "epsilon", 0.1, false,
		func(epsilon float64) Loss { return EpsilonInsensitive{epsilon} })
}

// Value returns max(0, |p-y|-epsilon).
func (l EpsilonInsensitive) Value(p, y float64) float64 { return math.Max(0, math.Abs(p-y)-l.Epsilon) }

// Score is the mean absolute error.
func (EpsilonInsensitive) Score() (name string, tau float64) { return "mae", 0 }

// UsualC is the scale: no row pulls harder than C, however far its target is.
func (EpsilonInsensitive) UsualC(scale, mean float64) float64 { return scale }

// Derivative returns the sign of p-y outside the tube, and 0 inside.
func (l EpsilonInsensitive) Derivative(p, y float64) float64 {
	if math.Abs(p-y) <= l.Epsilon {
		return 0
	}
	return sign(p - y)
}

// Conjugate returns a*y + epsilon |a|.
func (l EpsilonInsensitive) Conjugate(a, y float64) float64 {
	return float64(a*y) + float64(l.Epsilon*math.Abs(a))
}

// Domain is [-1, 1].
func (EpsilonInsensitive) Domain(y float64) (lo, hi float64) { return -1, 1 }

// Prox moves v towards the tube by at most step.
func (l EpsilonInsensitive) Prox(v, step, y float64) float64 {
	return v - clip(vec.Shrink(v-y, l.Epsilon), -step, step)
}

// Smoothness is infinite: the slope jumps at the wall of the tube.
func (EpsilonInsensitive) Smoothness() float64 { return math.Inf(1) }

// Ramps returns the two walls of the tube.
func (l EpsilonInsensitive) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -1, [2]Ramp{{At: y - l.Epsilon, Jump: 1}, {At: y + l.Epsilon, Jump: 1}}
}

// Inverse returns a wall of the tube, or all of it.
func (l EpsilonInsensitive) Inverse(a, y float64) (lo, hi float64) {
	lo, hi = tube(a, y, l.Epsilon)
	return beyond(a, -1, 1, lo, hi)
}

// Straight is true: the inverse is piecewise linear.
func (EpsilonInsensitive) Straight() bool { return true }

// Tube is epsilon.
func (l EpsilonInsensitive) Tube() float64 { return l.Epsilon }
