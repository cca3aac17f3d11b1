package certificate

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// OfProducts is [Certify] of rows in a space of which only the products are known, such as that of a
// kernel: s, m x m, is within wrong, in Frobenius norm, of S = (1/m) (<x_i,x_j>), which is positive
// semidefinite. A row a of the basis stands for the direction X^T a.
//
// S has the eigenvalues of Sigma. Let V be orthonormal rows of the span of the basis, M = S^1/2 V^T
// and W = M (M^T M)^-1/2: X^T V^T spans what is captured, and that is tr W^T S W. As V^T V <= I,
//
//	V S^2 V^T >= (V S V^T)^2,   so   tr W^T S W = tr (V S V^T)^-1 V S^2 V^T >= tr V S V^T,
//
// where a direction of length 0 captures nothing on either side. So Captured is a bound by V, as it is where
// S is Sigma itself, and Upper that of route exact. When the deadline of ctx is over, Upper is what there is in all.
func OfProducts(ctx context.Context, s []float64, m int, wrong float64, b method.Basis, threads int, seed uint64) (Certificate, error) {
	c := &certifier{Certificate: Certificate{Route: "exact"}, n: m, d: m, k: b.K, threads: threads, seed: seed}
	var trace vec.Sum
	for i := range m {
		trace.Add(s[i*m+i])
	}
	frobenius := frobeniusOf(s, m)
	if !(frobenius <= 0x1p400) || frobenius > 0 && frobenius < 0x1p-400 {
		return Certificate{}, fmt.Errorf("certificate: found products of about %.3g, expected numbers whose squares are neither too large nor too small", frobenius)
	}
	c.size.total = max(0, trace.Value())
	c.size.upper = algebra.Up(c.size.total*(1+8*algebra.Unit) + float64(math.Sqrt(float64(m))*wrong))
	c.setBasis(b)
	c.Captured = c.capturedBySecond(s, frobenius, wrong)
	err := c.bounded(ctx, s, m, frobenius, wrong, c.basis)
	return c.done(unlessLate(err))
}
