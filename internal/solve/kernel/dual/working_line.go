package dual

import "math"

// LeastCurvature keeps steps finite between equal rows.
const LeastCurvature = 1e-12

// RawCurvature is the share of K in the curvature, negative where that is no
// inner product. Between equal rows it is nothing but rounding.
func (d *Dual) RawCurvature(i, j int, kij float64) float64 {
	kernel, size := 0.0, 0.0
	if i >= 0 {
		kernel, size = d.K[i], math.Abs(d.K[i])
	}
	if j >= 0 {
		kernel, size = kernel+d.K[j], size+math.Abs(d.K[j])
	}
	if i >= 0 && j >= 0 {
		kernel -= 2 * kij
	}
	if kernel > -1e-6*size {
		return 0
	}
	return kernel
}

// curvature returns how the derivative grows along beta_i - beta_j, given K_ij,
// or along one of them if the other index is -1; kernel is the share of K.
func (d *Dual) curvature(i, j int, kij float64) (curvature, kernel float64) {
	conjugates := 0.0
	if i >= 0 {
		kernel += d.K[i]
		conjugates += d.sigma / d.C[i]
	}
	if j >= 0 {
		kernel += d.K[j]
		conjugates += d.sigma / d.C[j]
	}
	if i >= 0 && j >= 0 {
		kernel -= 2 * kij
	}
	kernel = max(kernel, LeastCurvature)
	return kernel + conjugates, kernel
}

// line is the dual problem along beta_i + t and beta_j - t, with one of the
// two if the other index is -1.
type line struct {
	*Dual
	i, j              int
	kernel, curvature float64
	at                float64 // the responses' share of the slope at t = 0
	limit             float64
}

func (d *Dual) along(i, j int, kij float64) line {
	l := line{Dual: d, i: i, j: j, limit: math.Inf(1)}
	l.curvature, l.kernel = d.curvature(i, j, kij)
	if l.kernel <= LeastCurvature {
		d.Negative = min(d.Negative, d.RawCurvature(i, j, kij))
	}
	if i >= 0 {
		l.at = d.R[i]
		l.limit = d.Hi[i] - d.Beta[i]
	}
	if j >= 0 {
		l.at -= d.R[j]
		l.limit = min(l.limit, d.Beta[j]-d.Lo[j])
	}
	return l
}

// slope returns how much it pays to increase t, just before and just after t.
func (l *line) slope(t float64) (before, after float64) {
	if l.i >= 0 {
		after, before = l.targets(l.i, l.Beta[l.i]+t)
	}
	if l.j >= 0 {
		up, low := l.targets(l.j, l.Beta[l.j]-t)
		before, after = before-up, after-low
	}
	linear := l.at + float64(l.kernel*t)
	return before - linear, after - linear
}

// corners returns where a coefficient changes sign, in order, and the limit.
func (l *line) corners() (c [3]float64) {
	if l.i >= 0 {
		c[0] = -l.Beta[l.i]
	}
	if l.j >= 0 {
		c[1] = l.Beta[l.j]
	}
	c[0], c[1] = min(c[0], c[1], l.limit), min(max(c[0], c[1]), l.limit)
	c[2] = l.limit
	return c
}

// step finds the best t >= 0. On either side of the corners, where a coefficient
// changes sign, the slope falls along a straight line, or for the logistic loss at
// least as fast as the line: there the root is then bracketed.
func (d *Dual) step(i, j int, kij float64) (t float64) {
	l := d.along(i, j, kij)
	for _, end := range l.corners() {
		_, after := l.slope(t)
		if !(after > 0) {
			return t
		}
		if end <= t {
			continue
		}
		inside := min(t+after/l.curvature, end)
		before, _ := l.slope(inside)
		if before < -1e-9*after {
			return l.bracket(t, inside, after, before)
		}
		if t = inside; t < end {
			return t
		}
	}
	return t
}

// bracket finds where a falling slope is zero between t, where it is after > 0,
// and end, where it is before < 0: false position, that halves the value of an
// end which stays (the Illinois rule).
func (l *line) bracket(t, end, after, before float64) float64 {
	tolerance := 1e-12 * after
	for range 100 {
		middle := t + float64((end-t)*(after/(after-before)))
		if !(middle > t && middle < end) {
			return t
		}
		g, _ := l.slope(middle)
		switch {
		case math.Abs(g) <= tolerance:
			return middle
		case g > 0:
			t, after, before = middle, g, before/2
		default:
			end, before, after = middle, g, after/2
		}
	}
	return t
}
