package linear

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Choose returns the solver that should prove the relative gap first, and why.
// The rules were measured on a9a, w8a, ijcnn1, covtype and imdb with lambda =
// 1/n and 1/(100n), gaps 1e-3 and 1e-6; they look at counts, never at a clock.
//
// Newton's matrix costs the squares of the rows' lengths and the cube of the
// columns: worth it while that is at most thirty passes over the data. It then
// wins wherever the loss is curved. Where the loss has corners its fifteen to
// thirty epochs are worth it for a small gap or a small lambda only: dual ascent
// proves 1e-3 at lambda = 1/n as soon, but needs ten thousand epochs on a9a at
// a hundredth of it.
func Choose(p *problem.Linear, gap float64) (name, why string) {
	switch p.Penalty.(type) {
	case penalty.L1:
		return "cd", "the penalty l1 is solved by columns"
	case penalty.L2:
	default:
		return "sdca", "for this penalty"
	}
	n, d := p.Dims()
	if !fewColumns(n, d, p.Nonzeros) {
		return "sdca", fmt.Sprintf("%d features are too many for second-order steps", d)
	}
	if _, cornered := p.Loss.(loss.Cornered); !cornered {
		return "newton", "curved loss, many more rows than features"
	}
	if gap <= 1e-4 || p.Lambda*p.N <= 0.1 {
		return "newton", "small gap or small lambda, many more rows than features"
	}
	return "sdca", "a loss with corners, neither the gap nor lambda is small"
}

// fewColumns reports whether forming and factoring Newton's matrix costs little
// enough.
func fewColumns(n, d int, nonzeros int64) bool {
	if n < 4*d || d > 2000 {
		return false
	}
	size := float64(nonzeros)
	form := size * size / (2 * float64(n))
	factor := float64(d) * float64(d) * float64(d) / 6
	return d <= 64 || form+factor <= 30*size
}
