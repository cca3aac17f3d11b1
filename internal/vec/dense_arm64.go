//go:build !purego

package vec

// dotNEON is dot for slices of the same length.
//
//go:noescape
func dotNEON(w []float64, x []float32) float64

// dot64NEON is dot64 for slices of the same length.
//
//go:noescape
func dot64NEON(x, y []float64) float64

// dot32NEON is dot32 for slices of the same length.
//
//go:noescape
func dot32NEON(x, y []float32) float64

// axpyNEON is axpy for slices of the same length.
//
//go:noescape
func axpyNEON(dst []float64, scale float64, x []float32)

// axpy64NEON is axpy64 for slices of the same length.
//
//go:noescape
func axpy64NEON(dst []float64, scale float64, x []float64)
