package loss

import "math"

// Squared is half the squared error, (p-y)^2/2: least squares.
//
// l*(a) = a y + a^2/2 everywhere.
type Squared struct{}

var (
	_ Curved         = Squared{}
	_ Invertible     = Squared{}
	_ SelfConcordant = Squared{}
	_ Flowing        = Squared{}
)

func init() { register("squared", "(p-y)^2/2: least squares, ridge regression", Squared{}) }

// Value returns (p-y)^2/2.
func (Squared) Value(p, y float64) float64 { return (p - y) * ((p - y) / 2) }

// Derivative returns p-y.
func (Squared) Derivative(p, y float64) float64 { return p - y }

// Curvature returns 1.
func (Squared) Curvature(p, y float64) float64 { return 1 }

// Conjugate returns a*y + a^2/2.
func (Squared) Conjugate(a, y float64) float64 { return a * (y + a/2) }

// Domain is the whole line.
func (Squared) Domain(y float64) (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Prox returns (v + step y)/(1+step).
func (Squared) Prox(v, step, y float64) float64 { return v + float64((y-v)*(step/(1+step))) }

// Smoothness is 1.
func (Squared) Smoothness() float64 { return 1 }

// Inverse returns y+a.
func (Squared) Inverse(a, y float64) (lo, hi float64) { return y + a, y + a }

// Flow returns (y-p)(1-e^-h).
func (Squared) Flow(p, y, h float64) float64 { return (y - p) * -expm1(-h) }

// Straight is true: the inverse is piecewise linear.
func (Squared) Straight() bool { return true }

// SelfConcordance is 0: the curvature is the same everywhere.
func (Squared) SelfConcordance() float64 { return 0 }
