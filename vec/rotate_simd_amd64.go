//go:build !purego

package vec

func rotate(v []float64, stride int, q []rotation, cols int) {
	switch {
	case hasAVX512:
		rotateAVX512(&v[0], stride, &q[0].c, len(q), cols)
	case hasAVX2:
		rotateAVX2(&v[0], stride, &q[0].c, len(q), cols)
	default:
		rotatePortable(v, stride, q, cols)
	}
}

func reflectedDot(row, w, v, next []float64, x, y float64) float64 {
	switch {
	case hasAVX512:
		return reflectedDotAVX512(row, w, v, next, x, y)
	case hasAVX2:
		return reflectedDotAVX2(row, w, v, next, x, y)
	}
	return reflectedDotPortable(row, w, v, next, x, y)
}
