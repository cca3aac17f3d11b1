// Package certificate proves how much of what k dimensions can capture a basis captures. With
// Sigma = (1/n) sum_i x_i x_i^T over the rows as [view.Rows] has them (real numbers, not their
// roundings) it gives numbers for which
//
//	Captured <= tr(U Sigma U^T),   lambda_1 + ... + lambda_k <= Upper,
//
// U the orthonormal basis of the span of what it is given. So the basis is at least
// Captured/Upper of optimal. Every rounding error is in the two numbers.
//
// The upper bound is weak duality of the relaxation of PCA (reference 1.2): for
// every Z >= 0 and mu >= 0 with Sigma <= Z + mu I (both as matrices),
//
//	tr(P Sigma) <= tr(P Z) + mu tr P <= tr Z + k mu   for every projection P of rank k.
//
// There are two ways to such a Z and a proof of the inequality:
//
//   - exact, where min(n, d) is at most [exactSize]: Sigma, or the matrix of inner
//     products, which has the same eigenvalues, is formed, and Z + mu I - Sigma is
//     shown to be definite by a Cholesky decomposition (exact.go,
//     dual.go). How good U is does not matter to it. Of many rows, sums in single
//     precision come first, which are quicker, and nearly as close where U is good
//     (single.go).
//   - lanczos: only products with the rows. Z comes from U, and mu from what random
//     vectors show of the rest of Sigma (coupled.go, lanczos.go). It
//     holds with probability 1 - Failure, over these vectors only.
//
// Cost: exact n d min(n, d) multiplications, in single precision or double; lanczos two
// products with all rows for each vector of U, and 16 for each step.
//
// [Certify] is the door; a certifier goes the way of one basis (certificate.go), after the rows
// were made neither too large nor too small (size.go) and the basis orthonormal (basis.go). Nothing
// is assumed of how the basis was found, and nothing is written to files here. A new bound is a
// function of the certifier, which TestCertificateIsATheorem holds against exact eigenvalues; what
// it must not be is added to brokenCertificates, which the tests must reject.
package certificate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// A Certificate is what is proven of a basis.
type Certificate struct {
	Captured  float64 // at most the mean over rows of |U x|^2
	Upper     float64 // at least the sum of the k largest eigenvalues of Sigma
	Total     float64 // tr Sigma, to a few roundings (of route lanczos: of |F x|^2 + |F o|^2)
	Nu        float64 // at least eigenvalue k+1
	Route     string  // "exact" or "lanczos"
	Failure   float64 // probability that Upper and Nu are wrong; 0 of a proof without chance
	Steps     int     // of Lanczos
	Departure float64 // largest element of U U^T - I, of U as it was given
}

// Loss returns the part of the optimum that the basis may miss, in [0, 1].
func (c Certificate) Loss() float64 {
	if c.Captured >= c.Upper {
		return 0
	}
	return 1 - c.Captured/c.Upper
}

// exactSize and exactWork bound min(n, d), and n d min(n, d), of what is formed.
const (
	exactSize = 4096
	exactWork = 5e11
)

// Certify proves how good the basis is for the rows. threads never changes the
// result; the seed is that of the random vectors of route lanczos, which must not
// depend on it otherwise. It fails when ctx is cancelled, or where rows or basis are not
// finite numbers. When the deadline of ctx is over it ends soon with the bound so far, at worst
// that of what the basis does not capture.
func Certify(ctx context.Context, x view.Rows, b method.Basis, threads int, seed uint64) (Certificate, error) {
	return certifyUntil(ctx, x, b, threads, func() uint64 { return seed }, func(c Certificate) bool { return c.Loss() <= nearlyAll }, nil)
}

// nearlyAll is a loss that no closer bound is worth the time of.
const nearlyAll = 1e-7

// CertifyUntil is Certify that goes without the closest bound where enough reports that
// a quicker one will do, and to a closer one where that is enough, and a usual one is not. It asks for the seed when it is needed, which may take long to know.
func CertifyUntil(ctx context.Context, x view.Rows, b method.Basis, threads int, seed func() uint64, enough func(Certificate) bool) (Certificate, error) {
	return certifyUntil(ctx, x, b, threads, seed, enough, enough)
}

// certifyUntil is CertifyUntil with what a quick bound is to be enough for, and what more steps may be made for; nil: nothing.
func certifyUntil(ctx context.Context, x view.Rows, b method.Basis, threads int, seed func() uint64, enough, wanted func(Certificate) bool) (Certificate, error) {
	n, d := x.Dims()
	c, err := newCertifier(x, b, threads, seed, Forms(n, d))
	if err != nil {
		return Certificate{}, err
	}
	c.enough = wanted
	quick, proved := *c, false
	if c.quickly() {
		ok, err := quick.single(ctx, enough)
		if ok || err != nil && !isLate(err) {
			return quick.done(err)
		}
		proved = err == nil && quick.Upper > 0
	}
	err = c.run(ctx)
	if c.formed && isLate(err) {
		if proved {
			return quick.done(nil)
		}
		if c, err = newCertifier(x, b, threads, seed, false); err == nil {
			c.enough = wanted
			err = c.run(ctx)
		}
	}
	return c.done(err)
}

// isLate reports whether err is that of a deadline: a bound found until then holds.
func isLate(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// Forms reports whether Sigma, or inner products, of n rows of d features are formed.
func Forms(n, d int) bool {
	m := float64(min(n, d))
	return m <= exactSize && float64(n)*float64(d)*m <= exactWork
}

func newCertifier(x view.Rows, b method.Basis, threads int, seed func() uint64, exact bool) (*certifier, error) {
	n, d := x.Dims()
	if err := checkBasis(n, d, b); err != nil {
		return nil, err
	}
	x, size, exponent, err := balanced(x, exact, threads)
	if err != nil {
		return nil, err
	}
	c := &certifier{x: x, n: n, d: d, k: b.K, threads: threads, seed: seed, size: size, formed: exact, exponent: exponent}
	c.setBasis(b)
	return c, nil
}

// run takes the route of sums in double precision, or that of products.
func (c *certifier) run(ctx context.Context) error {
	switch {
	case c.size.raw == 0:
		c.Route = "exact"
		return nil
	case c.formed:
		return c.exact(ctx)
	}
	return c.lanczos(ctx)
}

// done returns the certificate, unless there was an error.
func (c *certifier) done(err error) (Certificate, error) {
	if err != nil {
		return Certificate{}, err
	}
	if c.Upper > c.size.upper {
		c.Upper, c.Nu, c.Failure = c.size.upper, c.size.upper, 0
	}
	c.Captured, c.Total = max(c.Captured, 0), c.size.total
	c.unbalance(-2 * c.exponent)
	if math.IsInf(c.Upper, 0) || math.IsNaN(c.Upper) {
		return Certificate{}, fmt.Errorf("certificate: the second moment of the rows exceeds the largest number")
	}
	return c.Certificate, nil
}

// unbalance multiplies by 2^exponent. Where that underflows it rounds outwards.
func (c *Certificate) unbalance(exponent int) {
	if exponent == 0 {
		return
	}
	c.Total = math.Ldexp(c.Total, exponent)
	if c.Captured = math.Ldexp(c.Captured, exponent); c.Captured < 0x1p-1000 {
		c.Captured = math.Nextafter(c.Captured, 0)
	}
	for _, v := range []*float64{&c.Upper, &c.Nu} {
		if *v = math.Ldexp(*v, exponent); *v < 0x1p-1000 {
			*v = math.Nextafter(*v, 1)
		}
	}
}

func checkBasis(n, d int, b method.Basis) error {
	switch {
	case n < 1:
		return fmt.Errorf("certificate: found no rows, expected at least one")
	case b.Cols != d:
		return fmt.Errorf("certificate: found components of %s, expected %d as the rows have", registry.Count(b.Cols, "feature"), d)
	case b.K < 1 || b.K > d || len(b.Component) != b.K*d:
		return fmt.Errorf("certificate: found %d components of %d numbers in all, expected 1 to %d of %d each", b.K, len(b.Component), d, d)
	}
	for i, v := range b.Component {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("certificate: component %d, feature %d: found %g, expected a finite number", i/d, i%d, v)
		}
	}
	return nil
}

// A certifier is one certificate being made.
type certifier struct {
	Certificate
	x       view.Rows
	n, d, k int
	threads int
	seed    func() uint64
	size    size

	formed   bool // Sigma is, or inner products
	exponent int  // rows were multiplied by 2 to this power

	enough func(Certificate) bool // what more steps of Lanczos than usual are made for; nil: nothing
	hasty  bool                   // steps end as soon as they are enough

	basis []float64 // V, r x d, orthonormal up to off
	r     int       // dimension of the span, at most k
	off   float64   // at least |V V^T - I|
	away  float64   // at least |V - W|_F, for some W of which the rows are in the span given
}
