package lapack

import "math"

// iterate makes the tridiagonal matrix of rows lo to hi diagonal, and applies the rotations to as many
// rows of q, of cols numbers each. An element beside the diagonal is taken for 0 if it does not
// change its neighbours on the diagonal.
//
// Two or three sweeps a value are usual; after thirty the rest stays as it is.
func (e *Eigensystem) iterate(lo, hi int, q []float64, stride, cols int) {
	d, b := e.reduction.diagonal[lo:hi], e.reduction.beside[lo:max(lo, hi-1)]
	e.rotations = resized(e.rotations, len(d))
	left := 30 * len(d)
	for hi := len(d) - 1; hi > 0; {
		lo := hi
		for lo > 0 && !negligible(b[lo-1], d[lo-1], d[lo]) {
			lo--
		}
		if lo == hi || left == 0 {
			hi--
			continue
		}
		left--
		sweepQR(d[lo:hi+1], b[lo:hi], e.rotations)
		for k, turn := range e.rotations[:hi-lo] {
			at := (lo + k) * stride
			turn.apply(q[at:][:cols], q[at+stride:][:cols])
		}
	}
}

// negligible reports whether b is nothing beside x and y, or in a matrix whose largest
// element is about 1.
func negligible(b, x, y float64) bool {
	b = math.Abs(b)
	return b <= 0x1p-52*(math.Abs(x)+math.Abs(y)) || b < 0x1p-400
}

// sweepQR does one QR step on the matrix with diagonal d and b beside it, none of which
// is 0: with T - shift I = Q R, T becomes Q^T T Q. It writes down the rotations of Q.
func sweepQR(d, b []float64, q []rotation) {
	last := len(b)
	shift := wilkinson(d[last-1], b[last-1], d[last])
	c, s, p := 1.0, 1.0, 0.0
	g := d[0] - shift
	for k, beside := range b {
		f, h := float64(s*beside), float64(c*beside)
		var r float64
		if square := float64(g*g) + float64(f*f); square > 0x1p-900 {
			r = math.Sqrt(square)
			c, s = g/r, f/r
		} else {
			c, s, r = tinyGivens(g, f)
		}
		if k > 0 {
			b[k-1] = r
		}
		g = d[k] - p
		r = float64((d[k+1]-g)*s) + float64(2*c*h)
		p = float64(s * r)
		d[k] = g + p
		g = float64(c*r) - h
		q[k] = rotation{c, s}
	}
	d[last] -= p
	b[last-1] = g
}

// wilkinson returns the eigenvalue of (x b; b y) that is nearer to y.
func wilkinson(x, b, y float64) float64 {
	h := (x - y) / 2
	size := math.Abs(h) + math.Abs(b)
	h, unit := h/size, b/size
	r := math.Sqrt(float64(h*h) + float64(unit*unit))
	return y - float64(unit/(h+math.Copysign(r, h))*b)
}

// tinyGivens returns the rotation that takes (g, f) to (r, 0), where squares underflow.
func tinyGivens(g, f float64) (c, s, r float64) {
	g, f = g*0x1p+600, f*0x1p+600
	r = math.Sqrt(float64(g*g) + float64(f*f))
	if r == 0 { // both were below 2^-1100
		return 1, 0, 0
	}
	return g / r, f / r, r * 0x1p-600
}

// A rotation takes two rows x and y to c x + s y and c y - s x.
type rotation struct{ c, s float64 }

// apply does: x, y = fma(s, y, c*x), fma(-s, x, c*y).
func (r rotation) apply(x, y []float64) {
	y = y[:len(x)]
	for j, a := range x {
		b := y[j]
		x[j], y[j] = math.FMA(r.s, b, float64(r.c*a)), math.FMA(-r.s, a, float64(r.c*b))
	}
}
