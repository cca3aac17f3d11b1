//go:build purego || !amd64

package blas

// These have kernels on amd64 only.

func tile64() tile[float64, float64]   { return tile64Portable }
func tileWide() tile[float32, float64] { return tileWidePortable }
func tallMixed() (t tallTile)          { return t }

func transpose32(dst, src Block[float32]) (rows, cols int) { return 0, 0 }
func transpose64(dst, src Block[float64]) (rows, cols int) { return 0, 0 }

func widen(dst []float64, width int, src []float32, stride, cols int, factor []float64) bool {
	return false
}
