//go:build purego || !amd64

package vec

// Rotations and reflections have kernels on amd64 only.

func rotate(v []float64, stride int, q []rotation, cols int) { rotatePortable(v, stride, q, cols) }

func reflectedDot(row, w, v, next []float64, x, y float64) float64 {
	return reflectedDotPortable(row, w, v, next, x, y)
}
