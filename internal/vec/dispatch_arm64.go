//go:build !purego

package vec

import "github.com/fenchel-ml/fenchel/internal/vec/cpu"

func dot(w []float64, x []float32) float64 {
	if cpu.HasNEON {
		return dotNEON(w, x)
	}
	return product(w, x)
}

func dot64(x, y []float64) float64 {
	if cpu.HasNEON {
		return dot64NEON(x, y)
	}
	return product(x, y)
}

func squaredNorm(x []float32) float64 {
	if cpu.HasNEON {
		return dot32NEON(x, x)
	}
	return product(x, x)
}

func axpy(dst []float64, scale float64, x []float32) {
	if cpu.HasNEON {
		axpyNEON(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}

func axpy64(dst []float64, scale float64, x []float64) {
	if cpu.HasNEON {
		axpy64NEON(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}
