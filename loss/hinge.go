package loss

import "math"

// Hinge is max(0, 1-yp), the loss of the support vector machine.
//
// With m = yp and a = -y b: l*(a) = -b on 0 <= b <= 1.
type Hinge struct{}

var (
	_ Margin     = Hinge{}
	_ Batch      = Hinge{}
	_ Cornered   = Hinge{}
	_ Invertible = Hinge{}
	_ Stepped    = Hinge{}
	_ Flowing    = Hinge{}
)

func init() { register("hinge", "max(0, 1-yp): support vector machine", Hinge{}) }

func (Hinge) OfMargins() {}

// Value returns max(0, 1-yp).
func (Hinge) Value(p, y float64) float64 { return math.Max(0, 1-y*p) }

// ValueTo is Value of many rows. A slope is 1 where the margin may be below 1, said
// without a branch: which rows these are cannot be predicted.
func (Hinge) ValueTo(value, slope, p, y, reach []float64) {
	value, slope, p, reach = value[:len(y)], slope[:len(y)], p[:len(y)], reach[:len(y)]
	for i, y := range y {
		p, reach := p[i], reach[i]
		value[i] = max(0, 1-float64(y*p))
		short := 0
		if min(y*(p-reach), y*(p+reach)) < 1 {
			short = 1
		}
		slope[i] = math.Abs(y) * float64(short)
	}
}

// Derivative returns -y where yp < 1, and 0 elsewhere.
func (Hinge) Derivative(p, y float64) float64 {
	if y*p < 1 {
		return -y
	}
	return 0
}

// Conjugate returns a*y.
func (Hinge) Conjugate(a, y float64) float64 { return a * y }

// ConjugateTo is Conjugate of many rows.
func (Hinge) ConjugateTo(dst, a, y []float64) {
	dst, a = dst[:len(y)], a[:len(y)]
	for i, y := range y {
		dst[i] = a[i] * y
	}
}

// Domain is [-1, 0] for y = 1 and [0, 1] for y = -1.
func (Hinge) Domain(y float64) (lo, hi float64) { return marginDomain(y, 1) }

// Prox moves a margin below 1 up by step, but not past 1.
func (Hinge) Prox(v, step, y float64) float64 {
	m := y * v
	switch {
	case m >= 1:
		return v
	case m+step <= 1:
		return v + y*step
	}
	return y
}

// Smoothness is infinite: the slope jumps at yp = 1.
func (Hinge) Smoothness() float64 { return math.Inf(1) }

// marginDomain is where -y*a lies in [0, width].
func marginDomain(y, width float64) (lo, hi float64) {
	if y > 0 {
		return -width, 0
	}
	return 0, width
}

// Ramps returns the corner at p = y.
func (Hinge) Ramps(y float64) (slope float64, ramps [2]Ramp) {
	lo, _ := marginDomain(y, 1)
	return lo, [2]Ramp{{At: y, Jump: 1}}
}

// Inverse returns y, and what lies beyond at the ends of the domain.
func (Hinge) Inverse(a, y float64) (lo, hi float64) {
	first, last := marginDomain(y, 1)
	return beyond(a, first, last, y, y)
}

// Flow moves a margin below 1 up by h, but not past 1.
func (Hinge) Flow(p, y, h float64) float64 { return y * min(max(1-float64(y*p), 0), h) }

// Straight is true: the inverse is piecewise linear.
func (Hinge) Straight() bool { return true }

// DualStep returns a formula that is exact.
func (Hinge) DualStep() (step Step, exact bool) { return hingeStep, true }

// hingeStep is exact: with m = yp and b = -ya in [0, 1], b moves by (1-m)/q.
func hingeStep(before, p, q, y float64) (after, gap, rise float64) {
	short := 1 - float64(y*p)
	b := -y * before
	gap = max(short, 0) - float64(b*short)
	next := min(max(b+short/q, 0), 1)
	if next != next { // 0/0: an empty row on the corner
		next = b
	}
	return -y * next, gap, b - next
}
