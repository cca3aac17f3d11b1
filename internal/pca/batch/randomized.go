package batch

import (
	"context"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Randomized is the randomized singular value decomposition:
//
//	Q   a random block of k + Oversample rows
//	Q <- orth(Q Sigma),   1 + Power times
//	U   the eigenvectors of Q Sigma Q^T, times Q (Rayleigh and Ritz)
//
// It reads the rows 2 + Power times and does not know how good U is: krylov keeps
// all the blocks, loses far less for the same passes, and stops when it is good.
//
// Halko, Martinsson and Tropp, SIAM Review 2011, Algorithms 4.4 and 5.1.
type Randomized struct{ Power, Oversample int }

func init() {
	method.Register("randomized", "randomized SVD with power iterations (power=4, oversample=10)", func(p *registry.Params) (method.Method, error) {
		return Randomized{Power: p.Int("power", 4, 0, 1e6), Oversample: p.Int("oversample", 10, 0, 1e6)}, p.Err()
	})
}

// Solve is Batch's.
func (m Randomized) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	block := min(p.K+m.Oversample, p.Cols)
	sigma := view.MomentOf(x, p.Threads)
	q := method.Basis{K: block, Cols: p.Cols, Component: make([]float64, block*p.Cols)}
	z := make([]float64, len(q.Component))
	algebra.FillNormal(q.Component, rand.NewPCG(p.Seed, algebra.StartStream))
	q.Orthonormalise(p.Threads)
	for range 1 + m.Power {
		if err := sigma.Apply(ctx, z, q.Component, block); err != nil {
			return q, err
		}
		q.Component, z = z, q.Component
		if err := q.Orthonormalise(p.Threads); err != nil {
			return method.Basis{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return q, err
	}
	return method.RayleighRitz(x, q, p.Threads).First(p.K), nil
}
