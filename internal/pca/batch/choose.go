package batch

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// Choose returns the name of the batch method that takes the least time by the
// rules below, and why, in a line. It depends on sizes alone, never on the machine:
// n rows of d features with so many values stored, sparse or not, and k components.
//
// The rules are rates that were measured, in operations a nanosecond on two cores:
// matrix products in single precision make 280 (covariance of many rows), in double
// 130; krylov's products with few vectors 40 on dense rows and 10 on sparse ones, of
// which it takes about 12 + k/2, in blocks of 16 or 8; orthogonal directions 20.
// Matrices of more than 4096 rows are not formed: their memory, and the time of their
// eigenvectors, grow faster than that of krylov.
func Choose(n, d int, nonzeros int64, sparse bool, k int) (name, reason string) {
	const most = 4096
	rows, cols, stored := float64(n), float64(d), float64(nonzeros)
	krylov := krylovTime(rows, cols, stored, sparse, float64(k))
	name, reason = "krylov", fmt.Sprintf("%d x %d is too large for a matrix of products", n, d)
	best := krylov
	if d <= most {
		if time := covarianceTime(rows, cols, stored, sparse) + pairsTime(cols, float64(k)); time <= best || d <= 256 {
			name, best = "covariance", time
		}
	}
	if n < d && n <= most && !(sparse && stored < rows*cols/16) {
		if time := float64(rows*rows*cols/130) + pairsTime(rows, float64(k)); time <= best {
			name, best = "gram", time
		}
	}
	switch {
	case name == "covariance":
		reason = fmt.Sprintf("the %d x %d second moment is formed in the time of a few passes over the rows", d, d)
	case name == "gram":
		reason = fmt.Sprintf("%d rows have only %d x %d products, fewer than %d features", n, n, n, d)
	case min(n, d) <= most:
		reason = fmt.Sprintf("%d components of %d x %d rows take less than a matrix of products", k, n, d)
	}
	return name, reason
}

// krylovTime, like the others, is in nanoseconds.
func krylovTime(n, d, stored float64, sparse bool, k float64) float64 {
	block, rate := 16.0, 40.0
	if sparse {
		block, rate = 8, 10
	}
	directions := min((12+float64(k/2))*block, d)
	return float64(directions*(4*stored/rate)) + float64(directions*(d/5*min(1.5*(k+float64(2*block)), d)))
}

func covarianceTime(n, d, stored float64, sparse bool) float64 {
	switch {
	case sparse && stored < n*d/16:
		return float64(stored*(stored/max(n, 1))) + float64(4*stored) + float64(d*d)
	case n*d*d > 4e9:
		return n * d * d / 280
	}
	return n * d * d / 130
}

// pairsTime is that of the first k eigenvectors of a matrix, d x d.
func pairsTime(d, k float64) float64 {
	if view.Dense(int(d), int(k)) {
		return d * d * d / 12
	}
	directions := (12 + float64(k/2)) * 8
	return float64(directions*(2*d*d/60)) + float64(directions*(4*d*min(1.5*(k+32), d)/20))
}
