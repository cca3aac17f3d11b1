//go:build !purego

package vec

func sparseOuter(h []float64, size int, scale float64, index []uint32, value []float32, x []float64) (done bool) {
	if hasAVX512 || hasAVX2 {
		return sparseOuterAVX2(&h[0], size, scale, index, value, &x[0])
	}
	return false
}
