package pca

import (
	"context"

	"github.com/fenchel-ml/fenchel/registry"
)

// Krylov finds the components by [blockLanczos] on the second moment, which is never
// formed: rows may be sparse, more than fit into the cache, few or many.
//
// Cost: a look at all rows and 4 (nonzeros) b operations a step, with b = 8 for
// sparse rows and 16 for dense ones, and memory for 2k+6b directions. Ten to forty
// steps are usual.
//
// Musco and Musco, "Randomized block Krylov methods for stronger and faster
// approximate singular value decomposition", NIPS 2015, in the form of [blockLanczos].
type Krylov struct {
	// Tolerance is the part of the captured variance that may be missing, by an
	// estimate from the residuals.
	Tolerance float64
	Steps     int // looks at the rows at most
}

func init() {
	register("krylov", "block Krylov subspace of the rows, never a d x d matrix (tol=3e-7, steps=1000)", func(p *registry.Params) (Method, error) {
		m := Krylov{Tolerance: tolerance(p), Steps: p.Int("steps", 1000, 1, 1e6)}
		return m, p.Err()
	})
}

// tolerance reads the parameter tol.
func tolerance(p *registry.Params) float64 {
	return p.Float("tol", 3e-7, "a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
}

// Accepts: all that have an answer.
func (Krylov) Accepts(p Problem) error { return p.Check() }

// Solve is Batch's.
func (m Krylov) Solve(ctx context.Context, x Rows, p Problem) (Basis, error) {
	l := newBlockLanczos(momentOf(x, p.Threads), p.K, m.Tolerance, p)
	l.steps = m.Steps
	return l.solve(ctx)
}
