package certificate

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// leastEigenvalue returns a proven lower bound on the eigenvalues of the symmetric
// c, m x m, and whether there is one. It overwrites c.
//
// If a Cholesky decomposition runs to its end in floating point, in whatever order
// and with or without fused products, its factor L is exact for a matrix C + D with
//
//	|D| <= gamma(m+1) |L| |L^T|   element by element (Higham 2002, theorem 10.3).
//
// C + D = L L^T is not negative, and the norm of |L| |L^T| is at most
// sum L_ij^2 = tr(C + D) <= tr C/(1 - gamma(m+1)). So no eigenvalue of C is below
// -gamma(m+1)/(1 - gamma(m+1)) tr C (Rump 2006, Verification of positive
// definiteness).
//
// [lapack.Cholesky] raises pivots that rounding has eaten. A pivot that was raised
// equals the number that it was raised to, so one that exceeds it was not.
func leastEigenvalue(c []float64, m, threads int) (bound float64, ok bool) {
	trace := 0.0
	least := make([]float64, m)
	for j := range m {
		x := c[j*m+j]
		if !(x > 0) {
			return 0, false
		}
		trace += x
		least[j] = math.Sqrt(float64(m+8) * 0x1p-52 * x)
	}
	var f lapack.Cholesky
	f.Decompose(c, m, threads)
	for j := range m {
		if !(c[j*m+j] > least[j]*(1+0x1p-40)) {
			return 0, false
		}
	}
	g := algebra.Gamma(m + 1)
	return -algebra.Up(g / (1 - g) * trace * (1 + 2*algebra.Gamma(m))), true
}
