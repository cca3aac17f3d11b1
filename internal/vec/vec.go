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
// A level is kept for a kernel where a benchmark shows 1.2 times the speed of the level below
// (go test -bench . ./vec; AMD Zen 5, one thread, geometric mean over lengths 14 to 2000):
//
//	kernel                             AVX2/plain Go   AVX-512/AVX2
//	Gemm, Syrk, Gram                             *     1.6 to 1.9
//	products of tall matrices                    *     1.3 to 1.8
//	SparseTile, wide                    40 to 127      1.2 to 1.5
//	Softplus, Entropy, Sigmoid             4 to 10     1.2 to 1.9
//	Gaussian64, AddRows                    5 to 7      1.4
//	Dot, Dot64, Axpy, ScaledAdd            3 to 5      1.3 to 1.4
//	RampPredict, RampMeasure                13, 15     1.5, 1.7
//	Dot32, SquaredNorm                     5 to 8      left out: 1.1 to 1.2
//	Exp, Exp32, Sin, Cos, Gaussian32       4 to 14     left out: 1.1 to 1.2 in the cache
//	SparseTile, narrow                     20 to 69    left out: 1.0 to 1.1
//	other ramps                            2 to 9      left out: 1.0 to 1.2
//	SparseDot, SparseAxpy, SparseOuters    1.1 to 5    left out: 1.0
//	Merge, Rotate, Extremes, Partner       1.3 to 2.5  left out: 0.8 to 1.0
//
// A star: not measured.
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
