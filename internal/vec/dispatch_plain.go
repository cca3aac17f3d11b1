//go:build purego || !amd64

package vec

// These have kernels on amd64 only.

func scaledAdd(dst []float64, alpha, beta float64, x []float64) {
	scaledAddPortable(dst, alpha, beta, x)
}

func sparseDot(w []float64, index []uint32, value []float32) float64 {
	return sparseDotPortable(w, index, value)
}

func sparseDots([]float64, []float64, []int64, []uint32, []float32) (done int) { return 0 }

func sparseAxpy(w []float64, scale float64, index []uint32, value []float32) {
	sparseAxpyPortable(w, scale, index, value)
}

func sparseAxpys([]float64, []float64, []int64, []uint32, []float32) (done, part int) { return 0, 0 }

func sparseGemv(_, _ []float64, _ []uint32, _ []float32) bool { return false }

func sparseGer(_, _ []float64, _ []uint32, _ []float32) bool { return false }

func prefetch([]uint32, []float32) {}

func prefetchElements[T any]([]T, []uint32) {}

func addRows32(dst []float64, rows [][]float32, first int, c []float64) {
	addRowsPortable(dst, rows, first, c)
}

func addRows64(dst []float64, rows [][]float64, first int, c []float64) {
	addRowsPortable(dst, rows, first, c)
}

func sparseOuters([]float64, int, []float64, []int64, []uint32, []float32, []float64) (done int) {
	return 0
}

func extremes(*extremeLanes, []float64, []float64, []float64) (done int) { return 0 }

func partner(*partnerLanes, float64, float64, float64, []float64, []float64, []float64, []float64) (done int) {
	return 0
}
