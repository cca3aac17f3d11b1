package loss

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Truncated is the ramp loss min(1-z, max(0, 1-yp)) for z < 1: the hinge, constant where
// the margin is below z, so that a row far on the wrong side costs no more than one at z,
// and has no slope (Collobert, Sinz, Weston, Bottou 2006).
type Truncated struct{ Z float64 }

var (
	_ Margin = Truncated{}
	_ Batch  = Truncated{}
	_ Ramped = Truncated{}
)

func init() {
	nonconvex.Register(registry.Entry[Loss]{Name: "ramp", Summary: "min(1-z, max(0, 1-yp)), not convex: kernel machines that nothing is proved of (z=-1)",
		New: func(p *registry.Params) (Loss, error) {
			return Truncated{p.Float("z", -1, "a number below 1", func(z float64) bool { return z < 1 && z >= -math.MaxFloat64 })}, p.Err()
		}})
}

func (Truncated) OfMargins() {}
func (Truncated) nonconvex() {}

// FlatBelow is z.
func (l Truncated) FlatBelow() float64 { return l.Z }

// Value returns min(1-z, max(0, 1-yp)).
func (l Truncated) Value(p, y float64) float64 { return truncatedHinge(y*p, l.Z) }

// ValueTo is Value of many rows; no slope is steeper than 1.
func (l Truncated) ValueTo(value, slope, p, y, _ []float64) {
	for i, y := range y {
		value[i] = l.Value(p[i], y)
		slope[i] = 1
	}
}

// Derivative returns -y where z <= yp < 1, and 0 elsewhere.
func (l Truncated) Derivative(p, y float64) float64 {
	if m := y * p; m >= l.Z && m < 1 {
		return -y
	}
	return 0
}

// Conjugate is 0 at 0.
func (Truncated) Conjugate(a, _ float64) float64 {
	if a == 0 {
		return 0
	}
	return math.Inf(1)
}

// ConjugateTo is Conjugate of many rows.
func (l Truncated) ConjugateTo(dst, a, y []float64) {
	for i, y := range y {
		dst[i] = l.Conjugate(a[i], y)
	}
}

// Domain is 0 alone: the loss is bounded.
func (Truncated) Domain(float64) (lo, hi float64) { return 0, 0 }

// Prox is that of the hinge, or v where to stay costs less.
func (l Truncated) Prox(v, step, y float64) float64 {
	var hinge Hinge
	u := hinge.Prox(v, step, y)
	if hinge.Value(u, y)+float64((u-v)*(u-v))/float64(2*step) <= 1-l.Z {
		return u
	}
	return v
}

// Smoothness is infinite: the slope jumps.
func (Truncated) Smoothness() float64 { return math.Inf(1) }

// truncatedHinge is min(1-end, max(0, 1-z)), the ramp loss: flat where z < end.
func truncatedHinge(z, end float64) float64 { return clip(1-z, 0, 1-end) }
