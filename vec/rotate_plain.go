//go:build purego || !amd64

package vec

// Rotations have kernels on amd64 only.

func rotate(v []float64, stride int, q []rotation, cols int) { rotatePortable(v, stride, q, cols) }
