//go:build !purego

package vec

// sparseOuters does the first rows, and returns how many.
func sparseOuters(h []float64, size int, scale []float64, start []int64, index []uint32, value []float32, x []float64) (done int) {
	if hasAVX2 && size > 0 {
		return sparseOutersAVX2(&h[0], size, scale, start, index, value, x)
	}
	return 0
}
