package batch

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Krylov finds the components by [blockLanczos] on the second moment, which is never
// formed: rows may be sparse, more than fit into the cache, few or many.
//
// Cost: a pass over all rows and 4 (nonzeros) b operations a step, with b = 8 for
// sparse rows and 16 for dense ones, and memory for 2k+6b directions. Ten to forty
// steps are usual.
//
// Musco and Musco, "Randomized block Krylov methods for stronger and faster
// approximate singular value decomposition", NIPS 2015, in the form of [blockLanczos].
type Krylov struct {
	// Tolerance is the part of the captured variance that may be missing, by an
	// estimate from the residuals; NaN: Problem.Loss.
	Tolerance float64
	Steps     int // passes over the rows at most
}

func init() {
	method.Register("krylov", "block Krylov subspace of the rows, never a d x d matrix (tol: by the gap, steps=1000)", func(p *registry.Params) (method.Method, error) {
		m := Krylov{Tolerance: lossTolerance(p), Steps: p.Int("steps", 1000, 1, 1e6)}
		return m, p.Err()
	})
}

// Refines is Refining's.
func (m Krylov) Refines(method.Problem) bool { return math.IsNaN(m.Tolerance) }

// Solve is Batch's.
func (m Krylov) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	return OfOperator(ctx, view.MomentOf(x, p.Threads), m.Tolerance, m.Steps, p)
}

// OfOperator returns the components of a second moment by its products, so many at most, to a tolerance as that of [Krylov].
func OfOperator(ctx context.Context, a view.Operator, tolerance float64, steps int, p method.Problem) (method.Basis, error) {
	l := newBlockLanczos(a, p.K, lossOf(tolerance, p), p)
	l.steps = steps
	return l.solve(ctx)
}

// OfSample returns components of a few rows, evenly spaced, in a bounded time: for where a run
// was interrupted before it had found any.
func OfSample(x view.Rows, p method.Problem) (method.Basis, error) {
	n, _ := x.Dims()
	rows := min(n, max(2048, 4*p.K))
	order := make([]int, rows)
	for i := range order {
		order[i] = int(int64(i) * int64(n) / int64(rows))
	}
	x = view.Rows{X: matrix.Subset(x.X, order), Offset: x.Offset, Factor: x.Factor, Work: x.Work}
	p.Rows, p.Loss = rows, 0
	return Krylov{Tolerance: 1e-3, Steps: 8 + 2*p.K/8}.Solve(context.Background(), x, p)
}
