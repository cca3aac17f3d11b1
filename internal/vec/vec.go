// Package vec holds loops over numbers, and nothing that knows what the
// numbers mean.
//
// Every function has one canonical order of operations, part of its contract,
// and every version of it (AVX-512, AVX2, NEON, plain Go; see level.go) computes
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
// A level is kept for a kernel where a program takes less than 1/1.05 of the processor's time with
// it (one thread). Without AVX2 a kernel brings 1.2 to 2.3 times less. AVX-512 is kept for
//
//	                                      of the kernel     of the program
//	products of matrices                  1.3 to 1.9        1.14 to 1.20 (components of MNIST)
//	SparseTile, LeastTile, wide           1.2 to 1.5        1.11 (a9a, rbf), 1.2 (intersection)
//	Gaussian64                            1.4               1.09 (a9a, rbf)
//
// and was left out for what brought programs less, however fast the kernel alone: dense sums and
// their additions, AddRows, Softplus, Entropy, Sigmoid, HarmonicTile, the ramps (0.96 to 1.04), and
// before them Exp, Sin, Cos, the sparse rows and the choices of pairs.
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
