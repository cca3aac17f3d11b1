package loss

import "math"

// Huber is half the squared error up to |p-y| = Delta, and goes on as a
// straight line: regression that outliers cannot bend.
//
// l*(a) = a y + a^2/2 on -Delta <= a <= Delta.
type Huber struct{ Delta float64 }

var (
	_ Curved     = Huber{}
	_ Cornered   = Huber{}
	_ Invertible = Huber{}
	_ Numeric    = Huber{}
)

func init() {
	registerWith("huber", "(p-y)^2/2 up to |p-y|=delta=1 (100% without C), straight beyond: robust regression", "delta", 1, true,
		func(delta float64) Loss { return Huber{delta} })
}

// Value returns r^2/2 or delta |r| - delta^2/2, r = p-y.
func (l Huber) Value(p, y float64) float64 {
	r := math.Abs(p - y)
	if r <= l.Delta {
		return r * (r / 2)
	}
	return l.Delta * (r - l.Delta/2)
}

// UsualC is 1: as least squares, in any unit, where the width has that of the targets.
func (Huber) UsualC(scale, mean float64) float64 { return 1 }

// Derivative returns p-y clipped to [-delta, delta].
func (l Huber) Derivative(p, y float64) float64 { return clip(p-y, -l.Delta, l.Delta) }

// Curvature returns 1 where |p-y| < delta, and 0 elsewhere.
func (l Huber) Curvature(p, y float64) float64 {
	if math.Abs(p-y) < l.Delta {
		return 1
	}
	return 0
}

// Conjugate returns a*y + a^2/2.
func (Huber) Conjugate(a, y float64) float64 { return a * (y + a/2) }

// Domain is [-delta, delta].
func (l Huber) Domain(y float64) (lo, hi float64) { return -l.Delta, l.Delta }

// Prox shrinks the residual by 1+step, or moves it by step*delta.
func (l Huber) Prox(v, step, y float64) float64 {
	move := (y - v) * (step / (1 + step))
	return v + clip(move, -step*l.Delta, step*l.Delta)
}

// Smoothness is 1.
func (Huber) Smoothness() float64 { return 1 }

// Ramps returns the parabola, between p = y-delta and y+delta.
func (l Huber) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -l.Delta, [2]Ramp{{At: y - l.Delta, Jump: 2 * l.Delta, Width: 1}}
}

// Inverse returns y+a, and what lies beyond at the ends of the domain.
func (l Huber) Inverse(a, y float64) (lo, hi float64) {
	return beyond(a, -l.Delta, l.Delta, y+a, y+a)
}

// Straight is true: the inverse is piecewise linear.
func (Huber) Straight() bool { return true }
