package loss

import "math"

// Batch is a loss that judges many rows at once, in less time than one after
// another. [ValueTo] and [ConjugateTo] do it for every loss.
//
// Laws, for each i: value[i] has the bits of Value(p[i], y[i]); no slope at a
// prediction within reach[i] of p[i] is steeper than slope[i]; dst[i] has the
// bits of Conjugate(a[i], y[i]). All slices are as long as y; p may be value,
// reach may be slope, a may be dst.
type Batch interface {
	Loss
	ValueTo(value, slope, p, y, reach []float64)
	ConjugateTo(dst, a, y []float64)
}

// ValueTo sets the values of many rows, and bounds on the slopes near by.
func ValueTo(l Loss, value, slope, p, y, reach []float64) {
	if b, ok := l.(Batch); ok {
		b.ValueTo(value, slope, p, y, reach)
		return
	}
	for i, y := range y {
		p, reach := p[i], reach[i]
		value[i] = l.Value(p, y)
		// The slope of a convex function is steepest at an end.
		slope[i] = max(math.Abs(l.Derivative(p-reach, y)), math.Abs(l.Derivative(p+reach, y)))
	}
}

// ConjugateTo sets the conjugates of many rows.
func ConjugateTo(l Loss, dst, a, y []float64) {
	if b, ok := l.(Batch); ok {
		b.ConjugateTo(dst, a, y)
		return
	}
	for i, y := range y {
		dst[i] = l.Conjugate(a[i], y)
	}
}
