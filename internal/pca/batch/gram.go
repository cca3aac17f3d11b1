package batch

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// Gram finds the components of fewer rows than features by the products of rows,
//
//	K = (1/n) X X^T,   n x n,   K v = value v,   u = X^T v / sqrt(n value):
//
// the eigenvalues of Sigma are those of K. Directions that the rows do not have are
// filled up with any. The u are made orthonormal again and rotated by one more pass
// over the rows, so components of small eigenvalues do not suffer from large ones.
//
// Cost: n^2 d operations, half of them by symmetry, and two matrices n x n.
type Gram struct{}

func init() {
	method.Register("gram", "eigenvectors of the n x n products of rows, for n below d", func(p *registry.Params) (method.Method, error) {
		return Gram{}, p.Err()
	})
}

// Accepts refuses matrices that are empty or do not fit.
func (Gram) Accepts(p method.Problem) error {
	if p.Rows < 1 {
		return fmt.Errorf("gram: found no rows, expected at least one")
	}
	if p.Rows > mostFeatures {
		return fmt.Errorf("gram: found %d rows, expected at most %d: use krylov", p.Rows, mostFeatures)
	}
	return nil
}

// Solve is Batch's.
func (Gram) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	n, d := x.Dims()
	if n < p.K {
		return method.Basis{}, fmt.Errorf("gram: found %s, expected at least k = %d", registry.Count(n, "row"), p.K)
	}
	products, err := view.InnerProducts(ctx, x, p.Threads)
	if err != nil {
		return method.Basis{}, err
	}
	left, err := Pairs(ctx, x, products, n, p)
	if err != nil && left.K < p.K {
		return method.Basis{}, err
	}
	k := left.K
	turned := make([]float64, n*k)
	blas.Transpose64(algebra.Block(turned, n, k), algebra.Block(left.Component, k, n))
	b := method.Basis{K: k, Cols: d, Component: make([]float64, k*d)}
	x.TransposedTimes(b.Component, turned, k, p.Threads)
	for i, v := range left.Value {
		if v > 0 {
			algebra.Scale(b.Row(i), 1/math.Sqrt(float64(n))/math.Sqrt(v))
		}
		if !(v > 1e-14*left.Value[0]) { // nothing but rounding: any direction will do
			clear(b.Row(i))
		}
	}
	algebra.Orthonormalise(b.Component, k, d)
	return method.RayleighRitz(x, b, p.Threads), ctx.Err()
}
