// Package vec holds loops over numbers, and nothing that knows what the
// numbers mean: dense and sparse rows here; in the packages below it elementary functions
// (elementary), products (blas) and decompositions (lapack) of matrices, tiles of kernel matrices
// (tiles), the rows of an interior-point method (ramp), and what the processor has (cpu).
//
// Every function has one canonical order of operations, part of its contract,
// and every version of it (AVX-512, AVX2, NEON, plain Go; see cpu) computes
// the same bits. fma(a, b, c) is a*b+c with one rounding (math.FMA).
//
//   - A dense sum has 32 lanes, a sparse sum 8. Lane l is the chain
//     s = fma(a[k], b[k], s) over k = l, l+32, l+64, ... (l, l+8, ...), from 0.
//     Dense lanes fold to eight: (s[l] + s[l+8]) + (s[l+16] + s[l+24]). Eight add as
//     ((s0+s4) + (s2+s6)) + ((s1+s5) + (s3+s7)), and a sum of zero is +0.
//   - Functions of single elements perform the operations that they state.
//
// No kernel touches memory outside its slices. Which NaN a result is is
// unspecified. As machines differ, other packages write float64(a*b)+c or math.FMA.
//
// A kernel of a level is kept where without it a whole run takes 1.05 times the processor's time or
// more (one thread). For AVX-512 that is:
//
//	tiles.Sparse, wide      1.11 (a9a, rbf)
//	tiles.Least, wide       1.20 (text, intersection)
//	elementary.Gaussian64   1.08 (a9a, rbf)
//	blas                    1.14 to 1.20 (components of MNIST; a9a, rbf)
//
// Of blas that is of AVX-512 in all kernels together. Left out are those that brought 0.99 to 1.03 on
// average over runs (at most 1.06), though alone some were 1.9 times as fast: dense sums, AddRows,
// Sigmoid, Softplus, Entropy, tiles.Harmonic, ramps. For AVX2 it is 1.2
// (SparseOuters, blas.Transpose), 1.3 (ramps, Partner) and more; rotations of rows and
// joined passes over weights of partitions were 1.00 to 1.02, ramp.Reach and ramp.Central 1.01 to 1.04.
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
