//go:build purego || !amd64

package vec

// Tiles have kernels on amd64 only.

func sparseTile32([]float32, []int, []float32, int, []uint32, []int64, []uint32, []float32) (done int) {
	return 0
}

func sparseTile64([]float64, []int, []float64, int, []uint32, []int64, []uint32, []float32) (done int) {
	return 0
}

func gaussian32(dst, yy []float32, xx, minus float32) { gaussianPortable(Exp32, dst, yy, xx, minus) }
func gaussian64(dst, yy []float64, xx, minus float64) { gaussianPortable(Exp, dst, yy, xx, minus) }

func addRows32(dst []float64, rows [][]float32, first int, c []float64) {
	addRowsPortable(dst, rows, first, c)
}

func addRows64(dst []float64, rows [][]float64, first int, c []float64) {
	addRowsPortable(dst, rows, first, c)
}

func transpose32(dst, src Block[float32]) (rows, cols int) { return 0, 0 }
func transpose64(dst, src Block[float64]) (rows, cols int) { return 0, 0 }
