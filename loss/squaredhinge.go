package loss

import "math"

// SquaredHinge is max(0, 1-yp)^2, without a factor 1/2: LIBLINEAR's L2-loss.
//
// With a = -y b: l*(a) = b^2/4 - b on b >= 0.
type SquaredHinge struct{}

var (
	_ Margin     = SquaredHinge{}
	_ Curved     = SquaredHinge{}
	_ Invertible = SquaredHinge{}
)

func init() {
	register("squared-hinge", "max(0, 1-yp)^2: support vector machine, smooth", SquaredHinge{})
}

func (SquaredHinge) OfMargins() {}

// Value returns max(0, 1-yp)^2.
func (SquaredHinge) Value(p, y float64) float64 {
	r := math.Max(0, 1-y*p)
	return r * r
}

// Derivative returns -2y max(0, 1-yp).
func (SquaredHinge) Derivative(p, y float64) float64 { return -2 * y * math.Max(0, 1-y*p) }

// Curvature returns 2 where yp < 1, and 0 elsewhere.
func (SquaredHinge) Curvature(p, y float64) float64 {
	if y*p < 1 {
		return 2
	}
	return 0
}

// Conjugate returns a*y + a^2/4.
func (SquaredHinge) Conjugate(a, y float64) float64 { return a * (y + a/4) }

// Domain is the half-line on which y*a <= 0.
func (SquaredHinge) Domain(y float64) (lo, hi float64) { return marginDomain(y, math.Inf(1)) }

// Prox solves (m-v)/step = 2(1-m) for the margin m.
func (SquaredHinge) Prox(v, step, y float64) float64 {
	if y*v >= 1 {
		return v
	}
	return (v + 2*step*y) / (1 + 2*step)
}

// Smoothness is 2.
func (SquaredHinge) Smoothness() float64 { return 2 }

// Inverse returns y + a/2, and at 0 what lies beyond.
func (SquaredHinge) Inverse(a, y float64) (lo, hi float64) {
	first, last := marginDomain(y, math.Inf(1))
	return beyond(a, first, last, y+a/2, y+a/2)
}

// Straight is true: the inverse is piecewise linear.
func (SquaredHinge) Straight() bool { return true }
