package loss

import "math"

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

// DifferentiateTo sets the derivatives and curvatures of many rows.
func DifferentiateTo(l Curved, slope, curvature, p, y []float64) {
	if b, ok := l.(CurvedBatch); ok {
		b.DifferentiateTo(slope, curvature, p, y)
		return
	}
	for i, y := range y {
		p := p[i]
		slope[i], curvature[i] = l.Derivative(p, y), l.Curvature(p, y)
	}
}
