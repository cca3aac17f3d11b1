package pca

import (
	"context"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/vec"
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
	register("randomized", "randomized SVD with power iterations (power=4, oversample=10)", func(p *registry.Params) (Method, error) {
		return Randomized{Power: p.Int("power", 4, 0, 1e6), Oversample: p.Int("oversample", 10, 0, 1e6)}, p.Err()
	})
}

// Accepts: all that have an answer.
func (Randomized) Accepts(p Problem) error { return p.Check() }

// Solve is Batch's.
func (m Randomized) Solve(ctx context.Context, x Rows, p Problem) (Basis, error) {
	block := min(p.K+m.Oversample, p.Cols)
	sigma := momentOf(x, p.Threads)
	q := Basis{K: block, Cols: p.Cols, Component: make([]float64, block*p.Cols)}
	z := make([]float64, len(q.Component))
	fillNormal(q.Component, rand.NewPCG(p.Seed, startStream))
	q.orthonormalise(p.Threads)
	for range 1 + m.Power {
		if err := sigma.apply(ctx, z, q.Component, block); err != nil {
			return q, err
		}
		q.Component, z = z, q.Component
		if err := q.orthonormalise(p.Threads); err != nil {
			return Basis{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return q, err
	}
	return RayleighRitz(x, q, p.Threads).first(p.K), nil
}

// first returns the first k components.
func (b Basis) first(k int) Basis {
	return Basis{K: k, Cols: b.Cols, Component: b.Component[: k*b.Cols : k*b.Cols], Value: b.Value[:k:k]}
}

// orthonormalise makes the rows orthonormal, with others in place of those that
// depend on the rest.
func (b Basis) orthonormalise(threads int) error {
	var eigen vec.Eigensystem
	if x := vec.SquaredNorm64(b.Component); !(x <= 1e300) {
		return errTooLarge(x)
	}
	rows, spread := b.K, 3.0
	for pass := 0; pass < 4 && spread > 2; pass++ {
		rows, _, spread = orthonormalBlock(b.Component, rows, rows, b.Cols, 0, threads, &eigen)
	}
	clear(b.Component[rows*b.Cols:])
	for i := rows; i < b.K; i++ {
		replace(b.Row(i), b.Component[:i*b.Cols], i)
	}
	return nil
}
