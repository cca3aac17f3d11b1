package pca

import "github.com/fenchel-ml/fenchel/vec"

// eigensystem decomposes small symmetric matrices, again and again in the same
// memory.
type eigensystem struct {
	of      vec.Eigensystem
	vectors []float64
}

// Decompose sets values to the eigenvalues of the symmetric a, n x n, descending
// and among equal ones in the order of the rows, and returns the vectors as rows,
// valid until the next call. a is scratch.
func (e *eigensystem) Decompose(values, a []float64, n int) []float64 {
	e.vectors = zeros(e.vectors, n*n)
	e.of.Decompose(values, e.vectors, a, n, 1)
	return e.vectors
}
