package certificate

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Bounds from a basis and what is left. With the projection P = U^T U on the space
// of U, and a proven nu,
//
//	A = U Sigma U^T (r x r),   R = (I - P) Sigma U^T,   (I - P) Sigma (I - P) <= nu (I - P),
//
// the sum of the k largest eigenvalues is for every s > nu, and every level t >= s, at most
//
//	quadratic:  k t + tr (A + R^T R/(s - nu) - t)_+
//	linear:     k nu + tr (A - nu)_+ + |R|_*
//
// where (.)_+ keeps the positive eigenvalues and |.|_* adds up singular values.
//
// Quadratic: write x = U^T a + y with y in the rest. For every s > nu,
//
//	2 <y, R a> <= (s - nu) |y|^2 + |R a|^2/(s - nu),   so
//	x^T Sigma x = a^T A a + 2 <y, R a> + y^T Sigma y <= a^T (A + R^T R/(s - nu)) a + s |y|^2:
//
// Sigma <= diag(A + R^T R/(s - nu), s I), eigenvalues rise with a matrix, and the k largest
// of M sum up to at most k t + tr (M - t)_+. With r <= k the best level is s. It is of second
// order in R where nu is below the k-th eigenvalue of A.
//
// Linear: Sigma = diag(A, B) + [0 R^T; R 0] with B <= nu I; the eigenvalues of the
// second matrix are plus and minus the singular values of R, and sums of the k
// largest eigenvalues are subadditive (Ky Fan).
//
// U is V made orthonormal exactly. Everything is computed from V instead, with
// |V V^T - I| <= off. Where e = sqrt(r) gamma(n+d+64) + off and T is the raw size,
// A and R are off by at most 8 e T in Frobenius norm:
//
//   - Y = X' V^T by sqrt(r) gamma(d+16) sqrt(T n), so V Sigma V^T by 3 of these
//     and gamma(n+2) T, and A = G^-1/2 (V Sigma V^T) G^-1/2 with G = V V^T by
//     2.1 off T more;
//   - Sigma V^T = X'^T Y/n by sqrt(r) gamma(n+d+32) T, minus V^T A with the above,
//     gamma(r+2) (1 + sqrt r) T, and 3.1 off T for G^-1 and G^-1/2.
type coupled struct {
	k, r      int
	inner     []float64 // A, r x r, as computed
	squares   []float64 // R^T R
	lengths   []float64 // of the columns of R
	frobenius float64   // at least |R|_F
	wrong     float64   // at least the errors of A and R, in Frobenius norm
	rounding  float64   // at least the error of squares, in trace norm, over |R|_F^2
	eigen     lapack.Eigensystem
	rest      float64 // at least tr (I - P) Sigma (I - P)
}

// lanczos is the route of products. Where the basis is not so good that it bounds the
// optimum well, a better one does.
func (c *certifier) lanczos(ctx context.Context) error {
	c.Route = "lanczos"
	p := view.NewLaidOut(c.x, c.threads)
	b := c.couple(p)
	if err := c.search(ctx, p, b, (1+2*worthwhile)*c.Captured); err != nil || c.Loss() <= worthwhile {
		return err
	}
	best, err := batch.Krylov{Tolerance: worthwhile / 1000, Steps: mostSteps}.Solve(ctx, c.x, method.Problem{Rows: c.n, Cols: c.d, K: min(c.k, c.n), Seed: c.seed(), Threads: c.threads})
	if err != nil {
		return unlessLate(ctx.Err())
	}
	better := *c
	better.r = 0
	better.setBasis(best)
	if err := better.search(ctx, p, better.couple(p), math.Inf(1)); err != nil {
		return err
	}
	if c.Steps += better.Steps; better.Upper < c.Upper {
		c.Upper, c.Nu, c.Failure = better.Upper, better.Nu, better.Failure
	}
	return nil
}

const (
	tightness  = 1e-4 // the part of what is captured that fewer steps of Lanczos may lose
	worthwhile = 1e-3 // the loss above which another basis is worth its time
)

// search sets Upper and Nu by Lanczos beside the basis that b is about. It gives up
// when it sees that Upper will not be below hopeless.
func (c *certifier) search(ctx context.Context, p products, b *coupled, hopeless float64) error {
	c.Upper, c.Nu, c.Failure, c.Steps = b.upper(b.rest), b.rest, 0, 0
	if c.r == c.d {
		return unlessLate(ctx.Err())
	}
	s := newSearch(c, p, b.frobenius)
	for s.more() {
		if err := ctx.Err(); err != nil {
			return unlessLate(err)
		}
		s.step()
		if !s.due() && !c.hasty {
			continue
		}
		nu := s.bound(b.rest)
		upper := b.upper(nu)
		if upper < c.Upper {
			c.Upper, c.Nu, c.Failure = upper, nu, failure
		}
		if reach := b.upper(s.value()); c.settled(upper, reach) || reach > hopeless {
			break
		}
	}
	c.Steps = s.steps
	return nil
}

// settled reports whether a bound is as close as it is to be, where no number of steps makes it less than reach: close to that,
// unless more steps are enough for what is wanted and these were not.
func (c *certifier) settled(upper, reach float64) bool {
	if c.enough == nil {
		return upper-reach <= tightness*c.Captured
	}
	enough := c.satisfies(c.enough, upper)
	return c.hasty && enough || upper-reach <= tightness*c.Captured && (enough || !c.satisfies(c.enough, reach))
}

// unlessLate returns err but for that of a deadline: the bound found so far holds.
func unlessLate(err error) error {
	if isLate(err) {
		return nil
	}
	return err
}

// couple computes A and R, and the captured.
func (c *certifier) couple(p *view.LaidOut) *coupled {
	b, y := c.coupleBy(c.size.raw, func(y, image, q []float64) { p.Both(y, image, q, c.r) })
	c.Captured = c.capturedByRows(y, c.r, c.size.raw)
	return b
}

// coupleBy computes A and R by products y of the basis with rows of a raw size, as [view.LaidOut.Both].
func (c *certifier) coupleBy(raw float64, both func(y, image, q []float64)) (b *coupled, y []float64) {
	n, d, r := c.n, c.d, c.r
	y, image, inner := make([]float64, n*r), make([]float64, r*d), make([]float64, r*r)
	both(y, image, c.basis)
	blas.SyrkCols64(algebra.Block(inner, r, r), algebra.Block(y, n, r), c.threads)
	return c.coupling(raw, image, inner), y
}

// coupling computes A and R by n V Sigma and n V Sigma V^T, made of products with rows of a raw size.
func (c *certifier) coupling(raw float64, image, inner []float64) *coupled {
	n, d, r := c.n, c.d, c.r
	b := &coupled{k: c.k, r: r, inner: inner, squares: make([]float64, r*r), lengths: make([]float64, r)}
	algebra.Divide(b.inner, float64(n))
	algebra.Divide(image, float64(n))
	for i := range r {
		for l := range r {
			vec.Axpy64(image[i*d:(i+1)*d], -b.inner[i*r+l], c.basis[l*d:(l+1)*d])
		}
	}
	e := math.Sqrt(float64(r))*algebra.Gamma(n+d+64) + c.off
	b.wrong = algebra.Up(8 * e * raw)
	rounding := algebra.Gamma(d + 8)
	blas.SyrkRows64(algebra.Block(b.squares, r, r), algebra.Block(image, r, d), c.threads)
	trace, sum := 0.0, 0.0
	for i := range r {
		trace += b.inner[i*r+i]
		sum += b.squares[i*r+i]
		b.lengths[i] = algebra.Up(math.Sqrt(b.squares[i*r+i] * (1 + rounding)))
	}
	b.frobenius = algebra.Up(math.Sqrt(sum*(1+rounding+algebra.Gamma(r)))) + b.wrong
	b.rest = algebra.Up(max(0, c.size.upper-float64(trace*(1-algebra.Gamma(r+2)))) + float64(math.Sqrt(float64(r))*b.wrong))
	b.rounding = algebra.Up(math.Sqrt(float64(r)) * rounding)
	return b
}

// beyond returns a bound on what directions outside of the first r of the basis capture each: by the sums of
// rows, |A| is at most the largest.
func (b *coupled) beyond(r int, nu float64) float64 {
	for i := r; i < b.r; i++ {
		sum := 0.0
		for _, x := range b.inner[i*b.r+r : (i+1)*b.r] {
			sum += math.Abs(x)
		}
		nu = max(nu, sum*(1+algebra.Gamma(b.r)))
	}
	return algebra.Up(nu + b.frobenius + b.wrong)
}

// upper returns the smaller bound for nu.
func (b *coupled) upper(nu float64) float64 { return min(b.linear(nu), b.quadratic(nu)) }

func (b *coupled) linear(nu float64) float64 {
	sum := float64(float64(b.k)*nu) + b.positive(append([]float64{}, b.inner...), nu)
	for _, length := range b.lengths {
		sum += length
	}
	return algebra.Up(float64(sum*(1+algebra.Gamma(2*(b.k+b.r)))) + float64(2*math.Sqrt(float64(b.r))*b.wrong))
}

// quadratic is the least of quadraticAt for some s.
func (b *coupled) quadratic(nu float64) float64 {
	if b.r == 0 {
		return math.Inf(1)
	}
	values, matrix := make([]float64, b.r), append([]float64{}, b.inner...)
	b.eigen.Decompose(values, nil, matrix, b.r, 1)
	s := bestShift(values, b.squares, nu)
	if b.r <= b.k {
		return b.quadraticAt(s, s, nu)
	}
	level := values[b.k-1]
	least := b.quadraticAt(s, max(s, level), nu)
	for _, s := range []float64{level, nu + (level-nu)/2, nu + (level-nu)/8} {
		least = min(least, b.quadraticAt(s, max(s, level), nu))
	}
	return least
}

// quadraticAt is the quadratic bound at a level that is at least s: with more directions
// than k, that of eigenvalue k is.
//
// It adds to what is computed the errors, in trace norm, of A, and those of R^T R over
// s - nu: of R, and gamma |R|_F^2 of the products.
func (b *coupled) quadraticAt(s, level, nu float64) float64 {
	if !(s > nu) {
		return math.Inf(1)
	}
	matrix := append([]float64{}, b.inner...)
	away := (s - nu) * (1 - 2*algebra.Unit)
	for i, x := range b.squares {
		matrix[i] += x / away
	}
	root := math.Sqrt(float64(b.r))
	squares := float64(b.wrong*(float64(2*b.frobenius)+b.wrong)) + float64(b.rounding*b.frobenius*b.frobenius)
	sum := float64(float64(b.k)*level) + b.positive(matrix, level)
	return algebra.Up(sum + float64(root*b.wrong) + squares/away + 8*algebra.Unit*root*b.frobenius*b.frobenius/away)
}

// positive returns an upper bound on tr (M - s)_+ of the symmetric M, r x r.
//
// With computed eigenvectors y_j and values, M - s = sum_j value_j y_j y_j^T + E
// exactly, for some E; so (M - s)_+ has at most the trace of the sum over positive
// values plus the trace norm of E.
func (b *coupled) positive(m []float64, s float64) float64 {
	r := b.r
	if r == 0 {
		return 0
	}
	for i := range r {
		for j := range i {
			m[j*r+i] = m[i*r+j]
		}
		m[i*r+i] -= s
	}
	size := math.Sqrt(vec.SquaredNorm64(m)) + float64(math.Abs(s)*math.Sqrt(float64(r)))
	values, vectors := make([]float64, r), make([]float64, r*r)
	b.eigen.Decompose(values, vectors, append([]float64{}, m...), r, 1)
	trace, magnitude := 0.0, 0.0
	for j, v := range values {
		y := vectors[j*r : (j+1)*r]
		squared := vec.SquaredNorm64(y)
		trace += float64(max(0, v) * squared)
		magnitude += float64(math.Abs(v) * squared)
		for i := range r {
			vec.Axpy64(m[i*r:(i+1)*r], -float64(v*y[i]), y)
		}
	}
	rest := float64(math.Sqrt(vec.SquaredNorm64(m)) * (1 + algebra.Gamma(r*r+8)))
	rounding := float64(algebra.Gamma(2*r+8) * (size + float64(2*magnitude)))
	return algebra.Up(float64(trace*(1+algebra.Gamma(2*r+8))) + float64(math.Sqrt(float64(r))*(rest+rounding)))
}
