package method

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// RayleighRitz returns the basis of the same subspace that the rows' second moment
// has no products between, by decreasing variance: the eigenvectors of U Sigma U^T,
// with its eigenvalues. It reads the rows once.
func RayleighRitz(x view.Rows, b Basis, threads int) Basis {
	n, _ := x.Dims()
	k, d := b.K, b.Cols
	z, a := make([]float64, k*d), make([]float64, k*k)
	x.Power(z, b.Component, k, threads)
	for i := range k {
		for j := range i + 1 {
			a[i*k+j] = vec.Dot64(z[i*d:(i+1)*d], b.Row(j)) / float64(n)
			a[j*k+i] = a[i*k+j]
		}
	}
	var e algebra.Eigensystem
	value := make([]float64, k)
	vectors := e.Decompose(value, a, k)
	for i, v := range value {
		value[i] = max(v, 0)
	}
	return Basis{K: k, Cols: d, Component: algebra.Combine(nil, vectors, b.Component, k, k, d), Value: value}
}

// Departure returns by how much products of the components differ from those of
// orthonormal ones, at most; NaN where some are no numbers.
func (b Basis) Departure() float64 {
	worst := 0.0
	for i := range b.K {
		for j := range i + 1 {
			p := vec.Dot64(b.Row(i), b.Row(j))
			if i == j {
				p--
			}
			worst = max(worst, p, -p)
		}
	}
	return worst
}
