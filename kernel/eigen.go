package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// smallestEigenvalue returns that of a symmetric matrix A of n rows, which it
// overwrites, with an error of about n roundings of the largest.
//
// Householder's reflections H = I - 2vv^T, |v| = 1, make A tridiagonal; one of
// them replaces the rest of A by HAH = A - v w^T - w v^T, w = 2(Av - (v^T A v)v).
// The smallest eigenvalue of what remains is bracketed by Gershgorin's disks and
// halved in by Sturm's count (Golub and Van Loan, Matrix Computations, 8.3 and
// 8.4). Cost: 2 n^3 multiply-adds.
func smallestEigenvalue(a []float64, n int) float64 {
	diagonal, squares := make([]float64, n), make([]float64, n) // squares[i]: of element i, i-1
	v, w := make([]float64, n), make([]float64, n)
	for k := range n {
		diagonal[k] = a[k*n+k]
		if k == n-1 {
			break
		}
		rest := a[k*n+k+1 : k*n+n]
		squares[k+1] = vec.SquaredNorm64(rest)
		if v := v[k+1:]; reflector(v, rest) {
			mirror(a[(k+1)*n+k+1:], n, v, w[k+1:])
		}
	}
	return halve(diagonal, squares)
}

// reflector sets v so that I - 2vv^T maps x to a multiple of its first axis. It
// reports false if x is that already.
func reflector(v, x []float64) bool {
	norm := math.Sqrt(vec.SquaredNorm64(x))
	copy(v, x)
	v[0] += math.Copysign(norm, x[0])
	length := math.Sqrt(vec.SquaredNorm64(v))
	if vec.SquaredNorm64(x[1:]) == 0 || length == 0 {
		return false
	}
	for j := range v {
		v[j] /= length
	}
	return true
}

// mirror replaces the matrix of len(v) rows, each stride after the last, by
// (I-2vv^T) A (I-2vv^T).
func mirror(a []float64, stride int, v, w []float64) {
	n := len(v)
	matrix.Blocks(n, blockRows, 0, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			w[i] = 2 * vec.Dot64(a[i*stride:i*stride+n], v)
		}
	})
	vec.Axpy64(w, -vec.Dot64(v, w), v)
	matrix.Blocks(n, blockRows, 0, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := a[i*stride : i*stride+n]
			vec.Axpy64(row, -v[i], w)
			vec.Axpy64(row, -w[i], v)
		}
	})
}

// halve returns the smallest eigenvalue of a tridiagonal matrix.
func halve(diagonal, squares []float64) float64 {
	lo, hi := math.Inf(1), math.Inf(1)
	for i, d := range diagonal {
		radius := math.Sqrt(squares[i])
		if i+1 < len(diagonal) {
			radius += math.Sqrt(squares[i+1])
		}
		lo, hi = min(lo, d-radius), min(hi, d)
	}
	for range 200 {
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi {
			break
		}
		if anyBelow(diagonal, squares, middle) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi
}

// anyBelow reports whether an eigenvalue is below x: whether a pivot of the
// elimination of A - xI is negative.
func anyBelow(diagonal, squares []float64, x float64) bool {
	pivot := 1.0
	for i, d := range diagonal {
		pivot = d - x - squares[i]/pivot
		if pivot < 0 {
			return true
		}
		pivot = max(pivot, math.SmallestNonzeroFloat64)
	}
	return false
}
