package loss

import "math"

// Absolute is |p-y|: regression towards the median.
//
// l*(a) = a y on -1 <= a <= 1.
type Absolute struct{}

var (
	_ Cornered   = Absolute{}
	_ Invertible = Absolute{}
	_ scored     = Absolute{}
	_ Numeric    = Absolute{}
	_ Flowing    = Absolute{}
)

func init() { register("absolute", "|p-y|: median regression", Absolute{}) }

// Value returns |p-y|.
func (Absolute) Value(p, y float64) float64 { return math.Abs(p - y) }

// Score is the mean absolute error.
func (Absolute) Score() (name string, tau float64) { return "mae", 0 }

// UsualC is the scale: no row pulls harder than C, however far its target is.
func (Absolute) UsualC(scale, mean float64) float64 { return scale }

// Derivative returns the sign of p-y.
func (Absolute) Derivative(p, y float64) float64 { return sign(p - y) }

// Conjugate returns a*y.
func (Absolute) Conjugate(a, y float64) float64 { return a * y }

// Domain is [-1, 1].
func (Absolute) Domain(y float64) (lo, hi float64) { return -1, 1 }

// Prox moves v towards y by at most step.
func (Absolute) Prox(v, step, y float64) float64 { return v + clip(y-v, -step, step) }

// Smoothness is infinite: the slope jumps at p = y.
func (Absolute) Smoothness() float64 { return math.Inf(1) }

// Ramps returns the corner at p = y.
func (Absolute) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	return -1, [2]Ramp{{At: y, Jump: 2}}
}

// Inverse returns y, and what lies beyond at the ends of the domain.
func (Absolute) Inverse(a, y float64) (lo, hi float64) { return beyond(a, -1, 1, y, y) }

// Flow moves p towards y by at most h.
func (Absolute) Flow(p, y, h float64) float64 { return clip(y-p, -h, h) }

// Straight is true: the inverse is piecewise linear.
func (Absolute) Straight() bool { return true }
