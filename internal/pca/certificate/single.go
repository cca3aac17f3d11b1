package certificate

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// The exact route where there are many rows, and few components: S, which is Sigma by
// sums in single precision, takes half the time, and the method may have formed it already
// (see [view.Rows.Sharing]). It is off by much more, e, than a gap may lose. But S serves for
// the rest of Sigma alone: with the projection P on the space of U, Sigma <= S + e I gives
//
//	(I - P) Sigma (I - P) <= nu (I - P),    nu = nu of S + e,
//
// and what the quadratic bound (coupled.go) takes from U itself are products
// with the rows, in double precision. So e loses nothing where eigenvalues k and k+1 are
// further apart, and little where they are not. No random vectors: it holds for certain.
//
// The nu of S is proven as in dual.go with W = sqrt(c) V of the vectors V of
// the basis: S <= c V^T V + nu I, and (I - P) V^T = 0. What V captures costs nothing when
// c is as large as it likes, so it is large enough for all that couples V with the rest.
//
// Cost: n d^2 operations in single precision unless they are shared, and 4 n d for each
// component in double precision.

// Where what is wanted allows for k e, S is enough without the rows: of such that are [view.Rows.Whole]
// that is as close as in double precision.

// quickly reports whether the route takes less time than sums in double precision, which the
// method may have formed.
func (c *certifier) quickly() bool {
	return c.formed && !c.x.InDouble() && c.exponent == 0 && c.size.raw > 0 && view.ManyRows(c.n, c.d) && c.d <= c.n && (8*c.r <= c.d || c.x.Whole(c.threads))
}

// single is the route of S: alone or, where few vectors are multiplied with the rows, beside them.
func (c *certifier) single(ctx context.Context, enough func(Certificate) bool) (ok bool, err error) {
	p, err := c.leading(ctx)
	if p == nil || err != nil {
		return false, err
	}
	if ok, err := c.alone(ctx, p, enough); ok || err != nil || 8*c.r > c.d {
		return ok, err
	}
	return c.besideBasis(ctx, p, enough)
}

// alone sets Captured, Upper and Nu by S alone, if that can be enough.
func (c *certifier) alone(ctx context.Context, p *singleDual, enough func(Certificate) bool) (ok bool, err error) {
	c.Route = "exact"
	c.Captured = c.capturedBySecond(p.s.Value, p.frobenius, p.wrong)
	slack := float64(math.Sqrt(float64(c.k)) * p.wrong)
	if c.k >= c.d {
		c.Upper = c.size.upper
		return c.satisfies(enough, c.Upper), nil
	}
	if !c.satisfies(enough, algebra.Total(p.values[:c.k])+slack) {
		return false, nil
	}
	upper, nu, err := p.prove(ctx)
	c.Upper, c.Nu = min(c.size.upper, algebra.Up(upper+slack)), min(c.size.upper, algebra.Up(nu+p.wrong))
	return err == nil && c.satisfies(enough, c.Upper), err
}

// besideBasis is ok where enough says so of the bound beside the basis and a few more leading directions of S:
// then nu is of an eigenvalue further down than k, and e loses less where those near number k are close to
// each other.
func (c *certifier) besideBasis(ctx context.Context, p *singleDual, enough func(Certificate) bool) (ok bool, err error) {
	c.Route = "exact"
	wide, more := *c, min(len(p.values), c.k+view.MoreThan(c.k))
	wide.widen(p.vectors[c.k*c.d : more*c.d])
	b, y, raw := wide.coupleFormed()
	c.Captured = c.capturedByRows(y, wide.r, raw)
	optimum := algebra.Total(p.values[:c.k]) - float64(math.Sqrt(float64(c.k))*p.wrong)
	if !c.satisfies(enough, optimum) { // no bound will be enough
		return false, nil
	}
	last := math.Sqrt(vec.SquaredNorm64(p.residual[(more-1)*c.d : more*c.d])) // how far the value may be from one of S
	nu, err := wide.restOf(ctx, p, b.frobenius, max(0, p.values[more-1])+last)
	nu = min(nu, b.rest)
	c.Nu, c.Upper = b.beyond(c.r, nu), b.upper(nu)
	return err == nil && c.satisfies(enough, c.Upper), err
}

// widen makes the basis one of these rows too, but for those that are nearly in its span.
func (c *certifier) widen(rows []float64) {
	c.basis = append([]float64{}, c.basis...)
	for room := make([]float64, c.d); len(rows) > 0; rows = rows[c.d:] {
		row, left := append([]float64{}, rows[:c.d]...), 1.0
		for range 2 {
			algebra.TakeOff(row, c.basis, room[:c.r])
			left = math.Sqrt(vec.SquaredNorm64(row))
			algebra.Scale(row, 1/left)
		}
		if left > 0.9 { // else the second time took off more than rounding
			c.basis = append(c.basis, row...)
			c.r++
		}
	}
	c.off = offOrthonormal(c.basis, c.r, c.d, c.threads)
}

// satisfies reports whether the certificate would be enough with an upper bound.
func (c *certifier) satisfies(enough func(Certificate) bool, upper float64) bool {
	would := *c
	would.Upper = upper
	found, err := would.done(nil)
	return err == nil && enough(found)
}

// A singleDual is S with its leading eigenvectors.
type singleDual struct {
	dual
	wrong float64 // at least |S - Sigma|_F
}

// leading returns S; nil where numbers are too large or too small for single precision.
func (c *certifier) leading(ctx context.Context) (*singleDual, error) {
	s, err := c.x.Single(ctx, c.threads)
	frobenius := algebra.Up(math.Sqrt(vec.SquaredNorm64(s.Value)) * (1 + algebra.Gamma(c.d*c.d/32+64)))
	if err != nil || !s.OK || math.IsInf(frobenius, 0) || math.IsNaN(frobenius) {
		return nil, err
	}
	p := &singleDual{*newDual(c.x, s.Value, c.d, c.k, frobenius, c.threads), s.Wrong}
	p.rough = s.Wrong / 8
	return p, p.lead(ctx, c.basis, c.r)
}

// restOf returns a bound on (I - P) Sigma (I - P), of which a guess is given, as the norm of
// what couples it with U.
func (c *certifier) restOf(ctx context.Context, p *singleDual, coupling, guess float64) (float64, error) {
	w := make([]float64, len(c.basis))
	for away := p.wrong / 4; away <= 64*p.wrong; away *= 16 {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		weight := float64(2*p.values[0]) + float64(2*(coupling+p.wrong)*(coupling+p.wrong)/away)
		copy(w, c.basis)
		algebra.Scale(w, math.Sqrt(weight))
		if least, ok := p.rest(w, guess+away); ok {
			rounding := float64(0x1p-96 * weight * float64(c.r)) // of W, on the rest
			return algebra.Up(guess + away + least + rounding + p.wrong), nil
		}
	}
	return math.Inf(1), nil
}

// coupleFormed is couple by dense rows, of which the offset is taken off the products
// unless means are large beside deviations. It returns the products with rows too, and the raw size
// that they are as wrong as.
func (c *certifier) coupleFormed() (b *coupled, y []float64, raw float64) {
	quick, raw := c.x.Factor == nil && view.NearZero(c.x), c.size.upper
	if quick { // |x| + |o| of the rows as they are stored is at most |x - o| + 2 |o|
		length := math.Sqrt(raw) + float64(2*math.Sqrt(vec.SquaredNorm64(c.x.Offset)*(1+algebra.Gamma(c.d+8))))
		raw = algebra.Up(length * length)
	}
	b, y = c.coupleBy(raw, view.NewFormedProduct(c.x, c.r, c.threads, quick).Both)
	return b, y, raw
}
