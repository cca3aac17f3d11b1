package algebra

import "github.com/fenchel-ml/fenchel/internal/vec/lapack"

// Eigensystem decomposes small symmetric matrices, again and again in the same
// memory.
type Eigensystem struct {
	of       lapack.Eigensystem
	vectors  []float64
	diagonal []float64
}

// Decompose sets values to the eigenvalues of the symmetric a, n x n, descending
// and among equal ones in the order of the rows, and returns the vectors as rows,
// valid until the next call. a is scratch.
func (e *Eigensystem) Decompose(values, a []float64, n int) []float64 {
	e.vectors = Zeros(e.vectors, n*n)
	e.of.Decompose(values, e.vectors, a, n, 1)
	return e.vectors
}

// RankOne is Decompose of diag(values) + eta z z^T, in O(n^2).
func (e *Eigensystem) RankOne(values []float64, eta float64, z []float64) []float64 {
	n := len(values)
	e.vectors, e.diagonal = Zeros(e.vectors, n*n), append(e.diagonal[:0], values...)
	e.of.DecomposeRankOne(values, e.vectors, e.diagonal, eta, z)
	return e.vectors
}
