// Package vec holds loops over numbers, and nothing that knows what the
// numbers mean.
//
// Every function has one canonical order of operations, part of its contract,
// and every version of it (AVX-512, AVX2, NEON, plain Go; see [Level]) computes
// the same bits. fma(a, b, c) is a*b+c with one rounding (math.FMA).
//
//   - A dense sum has 32 lanes, a sparse sum 8. Lane l is the chain
//     s = fma(a[k], b[k], s) over k = l, l+32, l+64, ... (l, l+8, ...), from 0.
//     Dense lanes fold to eight: (s[l] + s[l+8]) + (s[l+16] + s[l+24]). Eight add as
//     ((s0+s4) + (s2+s6)) + ((s1+s5) + (s3+s7)), and a sum of zero is +0.
//   - Functions of single elements perform the operations that they state.
//
// No kernel touches memory outside its slices. Which NaN a result is is
// unspecified. Exp, Log and their kin are our own, because those of package math
// differ by machine; for the same reason other packages write float64(a*b)+c or
// math.FMA.
//
// dst comes first. Lengths are the caller's promise; a broken one panics.
// The amd64 kernels are written by internal/asm: see .ci/generate.
package vec

// Shrink moves x towards zero by t, but not past it (soft thresholding): how
// far x is outside [-t, t], with its sign.
func Shrink(x, t float64) float64 {
	switch {
	case x > t:
		return x - t
	case x < -t:
		return x + t
	}
	return 0
}
