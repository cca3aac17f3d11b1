//go:build purego || !amd64

package tiles

// Tiles have kernels on amd64 only.

func sparseTile32([]float32, []int, []float32, int, []uint32, []int64, []uint32, []float32) (done int) {
	return 0
}

func sparseTile64([]float64, []int, []float64, int, []uint32, []int64, []uint32, []float32) (done int) {
	return 0
}

func leastTile64([]float64, []int, []float64, int, []uint32, []int64, []uint32, []float32) (done int) {
	return 0
}

func harmonicTile64([]float64, []int, []float64, int, []uint32, []int64, []uint32, []float32) (done int) {
	return 0
}
