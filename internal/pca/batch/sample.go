package batch

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

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
