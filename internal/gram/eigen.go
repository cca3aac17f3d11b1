package gram

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// smallestEigenvalue returns that of a symmetric matrix of n rows, which it
// overwrites, with an error of about n roundings of the largest.
//
// The smallest eigenvalue of the tridiagonal matrix that has the same ones is
// bracketed by Gershgorin's disks and halved in by Sturm's count (Golub and Van
// Loan, Matrix Computations, 8.4).
func smallestEigenvalue(a []float64, n int) float64 {
	t := lapack.NewTridiagonal(a, n, 0)
	squares := make([]float64, n) // squares[i]: of element i, i-1
	for i, x := range t.Beside {
		squares[i+1] = x * x
	}
	return halve(t.Diagonal, squares)
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
