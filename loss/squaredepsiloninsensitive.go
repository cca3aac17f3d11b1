package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// SquaredEpsilonInsensitive is max(0, |p-y|-Epsilon)^2, without a factor 1/2:
// LIBLINEAR's L2-loss support vector regression.
//
// l*(a) = a y + epsilon |a| + a^2/4 everywhere.
type SquaredEpsilonInsensitive struct{ Epsilon float64 }

var (
	_ Curved     = SquaredEpsilonInsensitive{}
	_ Invertible = SquaredEpsilonInsensitive{}
	_ Tube       = SquaredEpsilonInsensitive{}
	_ Numeric    = SquaredEpsilonInsensitive{}
)

func init() {
	registerWith("squared-epsilon-insensitive", "max(0, |p-y|-epsilon)^2, epsilon=0.1 (10% without C): support vector regression, smooth", "epsilon", 0.1, false,
		func(epsilon float64) Loss { return SquaredEpsilonInsensitive{epsilon} })
}

// Value returns max(0, |p-y|-epsilon)^2.
func (l SquaredEpsilonInsensitive) Value(p, y float64) float64 {
	r := vec.Shrink(p-y, l.Epsilon)
	return r * r
}

// UsualC is 1: as least squares, in any unit, where the width has that of the targets.
func (SquaredEpsilonInsensitive) UsualC(scale, mean float64) float64 { return 1 }

// Derivative returns twice the signed distance from the tube.
func (l SquaredEpsilonInsensitive) Derivative(p, y float64) float64 {
	return 2 * vec.Shrink(p-y, l.Epsilon)
}

// Curvature returns 2 outside the tube, and 0 inside.
func (l SquaredEpsilonInsensitive) Curvature(p, y float64) float64 {
	if math.Abs(p-y) > l.Epsilon {
		return 2
	}
	return 0
}

// Conjugate returns a*y + epsilon |a| + a^2/4.
func (l SquaredEpsilonInsensitive) Conjugate(a, y float64) float64 {
	return float64(a*(y+a/4)) + float64(l.Epsilon*math.Abs(a))
}

// Domain is the whole line.
func (SquaredEpsilonInsensitive) Domain(y float64) (lo, hi float64) {
	return math.Inf(-1), math.Inf(1)
}

// Prox shrinks the distance from the tube by 1+2 step.
func (l SquaredEpsilonInsensitive) Prox(v, step, y float64) float64 {
	return v - float64(vec.Shrink(v-y, l.Epsilon)*(2*step/(1+2*step)))
}

// Smoothness is 2.
func (SquaredEpsilonInsensitive) Smoothness() float64 { return 2 }

// Inverse returns a place outside the tube, or all of it.
func (l SquaredEpsilonInsensitive) Inverse(a, y float64) (lo, hi float64) {
	return tube(a, y+a/2, l.Epsilon)
}

// Straight is true: the inverse is piecewise linear.
func (SquaredEpsilonInsensitive) Straight() bool { return true }

// Tube is epsilon.
func (l SquaredEpsilonInsensitive) Tube() float64 { return l.Epsilon }
