package vec

import "math"

// A rotation takes two rows x and y to c x + s y and c y - s x.
type rotation struct{ c, s float64 }

// rotateRows applies rotation k, for k = 0, 1, ..., to the first cols elements of rows k
// and k+1 of v, where cols is a multiple of eight: x, y = fma(s, y, c*x), fma(-s, x, c*y).
func rotateRows(v []float64, stride int, q []rotation, cols int) {
	if len(q) == 0 || cols == 0 {
		return
	}
	_ = v[len(q)*stride+cols-1]
	rotate(v, stride, q, cols)
}

func rotatePortable(v []float64, stride int, q []rotation, cols int) {
	for k, r := range q {
		x, y := v[k*stride:][:cols], v[(k+1)*stride:][:cols]
		for j, a := range x {
			b := y[j]
			x[j], y[j] = math.FMA(r.s, b, float64(r.c*a)), math.FMA(-r.s, a, float64(r.c*b))
		}
	}
}
