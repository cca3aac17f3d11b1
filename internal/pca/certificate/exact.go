package certificate

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// exact is the route that forms Sigma, or where n < d the inner products of rows
// over n: the matrices X'^T X' and X' X'^T have the same eigenvalues but for zeros.
//
// What is formed, S, has an error of Frobenius norm at most e, because its elements
// are off by gamma |X'|^T |X'|, and a matrix that is not negative has no larger
// Frobenius norm than its trace. Sums of the k largest eigenvalues then differ by at
// most sqrt(k) e (Ky Fan).
func (c *certifier) exact(ctx context.Context) error {
	c.Route = "exact"
	n, d := c.n, c.d
	m := min(n, d)
	form, wrong := view.SecondMoment, algebra.Up(algebra.Gamma(view.MomentRows+n/view.MomentRows+12)*c.size.upper)
	if n < d {
		form, wrong = view.InnerProducts, algebra.Up(algebra.Gamma(d+12)*c.size.upper)
	}
	s, err := form(ctx, c.x, c.threads)
	if err != nil {
		return err
	}
	frobenius := frobeniusOf(s, m)
	start := c.basis
	if n < d {
		start = c.responses()
	} else {
		c.Captured = c.capturedBySecond(s, frobenius, wrong)
	}
	return c.bounded(ctx, s, m, frobenius, wrong, start)
}

// frobeniusOf returns a number that is at least the Frobenius norm of s, m x m.
func frobeniusOf(s []float64, m int) float64 {
	return algebra.Up(math.Sqrt(vec.SquaredNorm64(s)) * (1 + algebra.Gamma(m*m/32+64)))
}

// bounded sets Upper and Nu by s, m x m, which is off by at most wrong; the search for
// its eigenvectors begins with the rows of start.
func (c *certifier) bounded(ctx context.Context, s []float64, m int, frobenius, wrong float64, start []float64) error {
	c.Upper, c.Nu = c.size.upper, 0
	if c.k >= m {
		return nil
	}
	upper, nu, err := newDual(c.x, s, m, c.k, frobenius, c.threads).solve(ctx, start, c.r)
	if err != nil {
		return err
	}
	c.Upper = min(c.Upper, algebra.Up(upper+float64(math.Sqrt(float64(c.k))*wrong)))
	c.Nu = min(c.size.upper, algebra.Up(nu+wrong))
	return nil
}

// responses returns the products of the basis with all rows, r x n, and sets
// Captured by them.
func (c *certifier) responses() []float64 {
	y, turned := make([]float64, c.n*c.r), make([]float64, c.r*c.n)
	view.NewFormedProduct(c.x, c.r, c.threads, false).Times(y, c.basis)
	c.Captured = c.capturedByRows(y, c.r, c.size.upper)
	blas.Transpose64(algebra.Block(turned, c.r, c.n), algebra.Block(y, c.n, c.r))
	return turned
}

// capturedByRows returns a lower bound on the captured from the products y of rows and basis, the first r of
// width. Each is off by gamma |x||v| at most, so the Frobenius norm of
// all is off by wrong sqrt(n); squared is at least the mean of these |x|^2.
func (c *certifier) capturedByRows(y []float64, width int, squared float64) float64 {
	return c.capturedByMean(c.meanSquare(y, width), squared)
}

// capturedByMean is capturedByRows of the mean over rows of |y|^2.
func (c *certifier) capturedByMean(mean, squared float64) float64 {
	wrong := algebra.Up(algebra.Gamma(c.d+16) * math.Sqrt(float64(c.r)*squared*(1+c.off)))
	computed := mean * (1 - algebra.Gamma(c.r+8))
	left := max(0, math.Sqrt(computed)*(1-4*algebra.Unit)-wrong)
	return c.captured(float64(left*left), 0)
}

// meanSquare returns the mean over rows of |y|^2.
func (c *certifier) meanSquare(y []float64, width int) float64 {
	var sum vec.Sum
	for i := range c.n {
		sum.Add(vec.SquaredNorm64(y[i*width : i*width+c.r]))
	}
	return sum.Value() / float64(c.n)
}

// capturedBySecond returns a lower bound on the captured from a computed s that is
// off by wrong.
func (c *certifier) capturedBySecond(s []float64, frobenius, wrong float64) float64 {
	d, r := c.d, c.r
	product := make([]float64, r*d)
	blas.Gemm64(algebra.Block(product, r, d), algebra.Block(c.basis, r, d), algebra.Block(s, d, d), c.threads)
	var sum vec.Sum
	for i := range r {
		sum.Add(vec.Dot64(product[i*d:(i+1)*d], c.basis[i*d:(i+1)*d]))
	}
	lengths := float64(r) * (1 + c.off) // sum_i |v_i|^2, and the norm of |V|^T |V|
	rounding := float64(algebra.Gamma(2*d+8) * lengths * frobenius)
	return c.captured(sum.Value(), algebra.Up(rounding+float64(math.Sqrt(float64(r))*(1+c.off)*wrong)))
}

// OfProducts is [Certify] of rows in a space of which only the products are known, such as that of a
// kernel: s, m x m, is within wrong, in Frobenius norm, of S = (1/m) (<x_i,x_j>), which is positive
// semidefinite. A row a of the basis has the coefficients of the direction X^T a.
//
// S has the eigenvalues of Sigma. Let V be orthonormal rows of the span of the basis, M = S^1/2 V^T
// and W = M (M^T M)^-1/2: X^T V^T spans what is captured, and that is tr W^T S W. As V^T V <= I,
//
//	V S^2 V^T >= (V S V^T)^2,   so   tr W^T S W = tr (V S V^T)^-1 V S^2 V^T >= tr V S V^T,
//
// where a direction of length 0 captures nothing on either side. So Captured is a bound by V, as it is where
// S is Sigma itself, and Upper that of route exact. When the deadline of ctx is over, Upper is the trace.
func OfProducts(ctx context.Context, s []float64, m int, wrong float64, b method.Basis, threads int) (Certificate, error) {
	c := &certifier{Certificate: Certificate{Route: "exact"}, n: m, d: m, k: b.K, threads: threads}
	var trace vec.Sum
	for i := range m {
		trace.Add(s[i*m+i])
	}
	frobenius := frobeniusOf(s, m)
	c.size.total = max(0, trace.Value())
	if !(frobenius <= 0x1p400) || c.size.total > 0 && frobenius < 0x1p-400 {
		return Certificate{}, fmt.Errorf("certificate: found products of about %.3g, expected numbers whose squares are neither too large nor too small", c.size.total/float64(m))
	}
	c.size.upper = algebra.Up(c.size.total*(1+8*algebra.Unit) + float64(math.Sqrt(float64(m))*wrong))
	c.setBasis(b)
	c.Captured = c.capturedBySecond(s, frobenius, wrong)
	err := c.bounded(ctx, s, m, frobenius, wrong, c.basis)
	return c.done(unlessLate(err))
}
