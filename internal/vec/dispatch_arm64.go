//go:build !purego

package vec

// hasNEON is true but in tests: every arm64 processor has NEON.
var hasNEON bool

func levels() []level { return []level{portable, neon} }
func use(l level)     { hasNEON = l == neon }

func chosen() level {
	if hasNEON {
		return neon
	}
	return portable
}

func dot(w []float64, x []float32) float64 {
	if hasNEON {
		return dotNEON(w, x)
	}
	return product(w, x)
}

func dot64(x, y []float64) float64 {
	if hasNEON {
		return dot64NEON(x, y)
	}
	return product(x, y)
}

func squaredNorm(x []float32) float64 {
	if hasNEON {
		return dot32NEON(x, x)
	}
	return product(x, x)
}

func axpy(dst []float64, scale float64, x []float32) {
	if hasNEON {
		axpyNEON(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}

func axpy64(dst []float64, scale float64, x []float64) {
	if hasNEON {
		axpy64NEON(dst, scale, x)
	} else {
		axpyPortable(dst, scale, x)
	}
}
