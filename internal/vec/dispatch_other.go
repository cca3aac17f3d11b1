//go:build purego || (!amd64 && !arm64)

package vec

func dot(w []float64, x []float32) float64 { return product(w, x) }
func dot64(x, y []float64) float64         { return product(x, y) }
func squaredNorm(x []float32) float64      { return product(x, x) }

func axpy(dst []float64, scale float64, x []float32)   { axpyPortable(dst, scale, x) }
func axpy64(dst []float64, scale float64, x []float64) { axpyPortable(dst, scale, x) }
