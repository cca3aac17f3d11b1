package loss

import "math"

// A Step moves the dual variable of one row, all others fixed. With the
// prediction p of the row and q > 0, the curvature of the penalty's conjugate
// along it, after maximises
//
//	-l*(a) + p (a - before) - q/2 (a - before)^2
//
// exactly, or so nearly that the next visit makes up for the rest; it always
// lies in the domain of l*. gap is l(p) + l*(before) - p before >= 0, the part
// of the row in the duality gap (Fenchel and Young), and rise is l*(after) -
// l*(before); a step that is not exact gives both to second order only: they steer and
// prove nothing. q = 0 is an empty row.
type Step func(before, p, q, y float64) (after, gap, rise float64)

// StepOf returns the step of a loss, and whether it is exact.
func StepOf(l Loss) (step Step, exact bool) {
	if s, ok := l.(Stepped); ok {
		return s.DualStep()
	}
	return func(before, p, q, y float64) (after, gap, rise float64) {
		after = ProxStep(l, before, p, q, y)
		conjugate := l.Conjugate(before, y)
		gap = l.Value(p, y) + conjugate - float64(before*p)
		if after != before {
			rise = l.Conjugate(after, y) - conjugate
		}
		return after, gap, rise
	}, true
}

// ProxStep is the exact step of any loss: with v = p + q before it is
// (v - prox_{q l}(v))/q (Moreau).
func ProxStep(l Loss, before, p, q, y float64) float64 {
	lo, hi := l.Domain(y)
	v := p + float64(q*before)
	a := (v - l.Prox(v, q, y)) / q
	if !(q > 0) || math.IsNaN(a) { // an empty row: nothing to pull back
		a = l.Derivative(p, y)
	}
	// Rounding in v must not keep a variable from its bound.
	slack := min(4e-16*(1+math.Abs(v)/q), 1e-9)
	switch {
	case a <= lo+slack:
		return lo
	case a >= hi-slack:
		return hi
	}
	return a
}
