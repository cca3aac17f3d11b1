package certificate

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// A dual bounds the sum of the k largest eigenvalues of a known symmetric matrix S,
// m x m, by k mu + |W|_F^2 where W^T W + mu I - S is proven to be definite, or so
// nearly that a small multiple of I makes up for it.
//
// W and mu may be any numbers; good ones come from the k leading eigenvectors V,
// as well as they are known, by the quadratic bound (coupled.go). With a
// guess nu of eigenvalue k+1, Theta the Rayleigh quotient and R = S V^T - V^T Theta,
//
//	mu = s > nu,   W^T W = V^T (Theta + R^T R/(s - nu) - s)_+ V.
//
// A guess that is too low shows in the proof, and is raised.
type dual struct {
	of        view.Rows // that may share s, and its eigenvectors
	s         blas.Block[float64]
	m, k      int
	frobenius float64 // at least |S|_F
	trace     float64
	threads   int
	rough     float64 // residuals of this length will do; 0: as small as the bound can tell

	vectors  []float64 // rows, the leading k first
	values   []float64 // and their Rayleigh quotients
	residual []float64 // S v - value v, as rows
	eigen    lapack.Eigensystem
}

func newDual(of view.Rows, s []float64, m, k int, frobenius float64, threads int) *dual {
	p := &dual{of: of, s: algebra.Block(s, m, m), m: m, k: k, frobenius: frobenius, threads: threads}
	for j := range m {
		p.trace += s[j*m+j]
	}
	return p
}

// solve returns the bound on the sum, and one on eigenvalue k+1. start are r rows
// that may lead to eigenvectors.
func (p *dual) solve(ctx context.Context, start []float64, r int) (upper, nu float64, err error) {
	if err := p.lead(ctx, start, r); err != nil {
		return 0, 0, err
	}
	return p.prove(ctx)
}

// prove is solve where leading eigenvectors were found.
func (p *dual) prove(ctx context.Context) (upper, nu float64, err error) {
	upper, nu = math.Inf(1), math.Inf(1)
	guess := max(0, p.values[p.k])
	for _, raise := range []float64{1e-13, 1e-10, 1e-7, 1e-5, 1e-3, 1e-2, 0.1, 1, 10} {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		w, mu := p.choose(guess + float64(raise*(guess+float64(1e-6*p.values[0]))))
		if least, ok := p.rest(w, mu); ok {
			mu = algebra.Up(mu + least)
			return algebra.Up(float64(float64(p.k)*mu) + algebra.Up(vec.SquaredNorm64(w)*(1+algebra.Gamma(len(w)+8)))), mu, nil
		}
	}
	return upper, nu, nil
}

// rest returns a number that makes W^T W + (mu + number) I - S not negative.
//
// The matrix is computed with at most rank+1 roundings of each element, relative to
// |S| + |W|^T |W| + mu I.
func (p *dual) rest(w []float64, mu float64) (number float64, ok bool) {
	m, rank := p.m, len(w)/p.m
	squares := vec.SquaredNorm64(w)
	rounding := algebra.Up(float64(algebra.Gamma(rank+3)*(p.frobenius+float64(2*squares)+float64(2*mu))) + float64(algebra.Unit*algebra.Unit*p.frobenius))
	room := algebra.Up(float64(algebra.Gamma(m+2)*max(0, float64(float64(m)*mu)+squares-p.trace)) + rounding)
	c := algebra.Square(m)
	for i, x := range p.s.Value {
		c.Value[i] = -x
	}
	blas.SyrkCols64(c, algebra.Block(w, rank, m), p.threads)
	for j := range m {
		c.Value[j*m+j] += mu + room
	}
	least, ok := leastEigenvalue(c.Value, m, p.threads)
	return algebra.Up(room + rounding - least), ok
}

// choose returns W and mu = s, given nu. The s is the best of a few for the
// quadratic bound as it would be if R^T R were all in the leading directions.
func (p *dual) choose(nu float64) (w []float64, s float64) {
	k, m := p.k, p.m
	coupling := algebra.Square(k)
	blas.SyrkRows64(coupling, algebra.Block(p.residual, k, m), p.threads)
	s = bestShift(p.values[:k], coupling.Value, nu)
	for i := range coupling.Value {
		coupling.Value[i] /= s - nu
	}
	for i := range k {
		coupling.Value[i*k+i] += p.values[i] - s
	}
	values, vectors := make([]float64, k), make([]float64, k*k)
	p.eigen.Decompose(values, vectors, coupling.Value, k, p.threads)
	rank := 0
	for rank < k && values[rank] > 0 {
		root := math.Sqrt(values[rank])
		algebra.Scale(vectors[rank*k:(rank+1)*k], root)
		rank++
	}
	return algebra.Combine(nil, vectors[:rank*k], p.vectors[:k*m], rank, k, m), s
}

// bestShift returns the s > nu with the least k s + sum_i (value_i - s)_+ +
// trace/(s - nu), of some, where trace is that of the coupling R^T R.
func bestShift(values, coupling []float64, nu float64) float64 {
	k := len(values)
	trace := 0.0
	for i := range k {
		trace += coupling[i*k+i]
	}
	best, least := 0.0, math.Inf(1)
	try := func(s float64) {
		if !(s > nu) {
			return
		}
		sum := float64(float64(k)*s) + trace/(s-nu)
		for _, v := range values {
			sum += max(0, v-s)
		}
		if sum < least {
			best, least = s, sum
		}
	}
	try(values[k-1])
	away := max(values[0], nu)
	for range 60 {
		try(nu + away)
		away /= 2
	}
	try(nu + math.Sqrt(trace/float64(k)))
	return best
}

// lead finds k leading eigenvectors and a few more: of a small matrix, or where they are many, by all
// eigenvalues, otherwise by Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago and Chelikowsky 2006).
func (p *dual) lead(ctx context.Context, start []float64, r int) error {
	m, b := p.m, min(p.m, p.k+view.MoreThan(p.k))
	if m <= 2*b || view.Dense(m, p.k) {
		p.values, p.vectors = p.of.Leading(p.s.Value, m, p.threads, func([]float64) int { return b })
		p.values, p.residual = p.values[:b], make([]float64, b*m)
		p.multiply(p.residual, p.vectors, b)
		p.subtract(b)
		return nil
	}
	p.vectors, p.values = make([]float64, b*m), make([]float64, b)
	p.residual = make([]float64, b*m)
	algebra.FillNormal(p.vectors, rand.NewPCG(0, filterStream))
	copy(p.vectors, start[:min(r, p.k)*m])
	for round := range 12 {
		if err := ctx.Err(); err != nil {
			return err
		}
		algebra.Orthonormalise(p.vectors, b, m)
		p.rotate(b)
		if round > 0 && p.converged() {
			break
		}
		if round < 11 {
			p.filter(b, 8)
		}
	}
	return nil
}

// filterStream names the random numbers of the iteration among others. No proof depends on
// their chance.
const filterStream = 0x66696c746572 // "filter"

// rotate makes the b orthonormal rows those that diagonalise the Rayleigh quotient.
func (p *dual) rotate(b int) {
	m := p.m
	p.multiply(p.residual, p.vectors, b)
	quotient := algebra.Square(b)
	rows := algebra.Block(p.vectors, b, m)
	blas.Gemm64(quotient, rows, algebra.Block(p.residual, b, m), p.threads)
	algebra.Symmetrise(quotient.Value, b)
	turn := make([]float64, b*b)
	p.eigen.Decompose(p.values, turn, quotient.Value, b, p.threads)
	p.vectors = algebra.Combine(nil, turn, p.vectors, b, b, m)
	p.residual = algebra.Combine(nil, turn, p.residual, b, b, m)
	p.subtract(b)
}

// subtract takes value v off the rows S v.
func (p *dual) subtract(b int) {
	for i := range b {
		vec.Axpy64(p.residual[i*p.m:(i+1)*p.m], -p.values[i], p.vectors[i*p.m:(i+1)*p.m])
	}
}

// converged reports whether k+1 eigenvalues are known so well that the bound loses
// nothing that would be seen.
func (p *dual) converged() bool {
	most := max(1e-22*float64(p.values[0]*p.values[0]), float64(p.rough*p.rough))
	for i := range p.k + 1 {
		if vec.SquaredNorm64(p.residual[i*p.m:(i+1)*p.m]) > most {
			return false
		}
	}
	return true
}

// multiply sets dst to the rows times S.
func (p *dual) multiply(dst, rows []float64, b int) {
	clear(dst[:b*p.m])
	blas.Gemm64(algebra.Block(dst, b, p.m), algebra.Block(rows, b, p.m), p.s, p.threads)
}

// filter replaces the rows by T(2S/a - I) times them, with the Chebyshev polynomial
// T of some degree, which is at most 1 for eigenvalues below a and large above. Rows
// are divided by what it is at their own.
func (p *dual) filter(b, degree int) {
	a := max(p.values[b-1], 1e-12*p.values[0])
	before, now, next := p.vectors, make([]float64, b*p.m), make([]float64, b*p.m)
	p.multiply(now, before, b)
	last := make([]float64, b) // T of the degree now over that of the one before
	for i := range b {
		x := max(1, float64(2*p.values[i])/a-1)
		last[i] = x
		vec.ScaledAdd(now[i*p.m:(i+1)*p.m], 2/a/x, -1/x, before[i*p.m:(i+1)*p.m])
	}
	for range degree - 1 {
		p.multiply(next, now, b)
		for i := range b {
			x := max(1, float64(2*p.values[i])/a-1)
			grown := float64(2*x) - 1/last[i]
			row := next[i*p.m : (i+1)*p.m]
			vec.ScaledAdd(row, 4/a/grown, -2/grown, now[i*p.m:(i+1)*p.m])
			vec.Axpy64(row, -1/last[i]/grown, before[i*p.m:(i+1)*p.m])
			last[i] = grown
		}
		before, now, next = now, next, before
	}
	p.vectors = now
}

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
