//go:build !purego

package vec

func rotate(v []float64, stride int, q []rotation, cols int) {
	if hasAVX2 {
		rotateAVX2(&v[0], stride, &q[0].c, len(q), cols)
	} else {
		rotatePortable(v, stride, q, cols)
	}
}

func reflectedDot(row, w, v, next []float64, x, y float64) float64 {
	if hasAVX2 {
		return reflectedDotAVX2(row, w, v, next, x, y)
	}
	return reflectedDotPortable(row, w, v, next, x, y)
}
