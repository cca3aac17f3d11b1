package certificate

import (
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// A search bounds the largest eigenvalue of what is left of Sigma beside a basis,
//
//	B = (I - P) Sigma (I - P),   P the projection on the span of V,
//
// from above, by products only. What Lanczos returns is a lower bound; an upper one
// must say that no larger eigenvalue hides. None hides from a random vector for
// long: eight of these, each with recurrences of its own, fail together with a
// probability below 5e-13.
//
// Theorem. Let z_0, ..., z_m be any vectors and T any symmetric tridiagonal matrix of
// m rows, with diagonal alpha and beta >= 0 beside it, lambda an eigenvalue of B above
// those of T, and u its unit vector. If
//
//	u^T Sigma z_j = alpha_j u^T z_j + beta_{j-1} u^T z_{j-1} + beta_j u^T z_{j+1} + f_j,   |f_j| <= phi_j,
//
// then with x = (lambda I - T)^-1 e_0, which is positive,
//
//	|u^T z_0| <= beta_{m-1} |z_m| x_{m-1} + sum_j phi_j x_j.                       (1)
//
// Proof. V u = 0, so u^T Sigma z = u^T Sigma (I - P) z + f = lambda u^T z + f with
// |f| <= |(I - P) Sigma P| |P z|, which phi_j is made to cover. The row c_j = u^T z_j
// then fulfils c (lambda I - T) = beta_{m-1} c_m e_{m-1}^T + f^T. Multiply by x from the
// right. lambda I - T is positive definite and nothing beside its diagonal is
// positive, so its inverse has no negative element.
//
// The right side falls as lambda rises: x_j is the product of beta_i over i < j over
// that of the pivots delta_i, i <= j, of an elimination from the last row, and pivots
// rise with lambda. So every lambda above the first at which (1) is false is no
// eigenvalue. It uses nothing of z but what is said: not that they are orthogonal,
// and they are not made so. It is Bessel's inequality that makes T shrink u^T z_0:
// without errors x_{m-1} is the best that a polynomial of degree m can do, and
// lambda exceeds the largest eigenvalue of B by a part of about
// (ln(2 |z|/t)/(2m))^2 (Kuczynski and Wozniakowski 1992).
//
// Start: z is made of independent standard normal numbers g, so u^T g is one too,
// and |u^T g| < t for all eight with a probability below (t sqrt(2/pi))^8 = failure/2.
// Otherwise (1) holds for one of them with t for |u^T g|, and lambda is at most the
// largest of the eight bounds. Why eight: with one vector t would be 1e-12, below
// the rounding errors of products; and products with eight cost little more.
//
// What is left of w = Sigma z_j - alpha_j z_j - beta_{j-1} z_{j-1} after V^T V w was
// taken off is beta_j z_{j+1}. That changes u^T w by rounding only, since V u = 0.
type search struct {
	c         *certifier
	p         products
	coupling  float64   // at least |(I - P) Sigma P|
	turned    []float64 // V^T, d x r
	z, before []float64
	w         []float64
	runs      [starts]run
	steps     int
}

const (
	starts       = 8
	failure      = 1e-12
	smallest     = 0.0363         // t; 2 (t sqrt(2/pi))^8 = 0.99e-12: there may be two searches
	mostSteps    = 300            // of Lanczos
	searchStream = 0x6c616e637a6f // "lanczo"
)

// products sets dst, m x d, to n Q Sigma for the m rows of q.
type products interface{ Apply(dst, q []float64, m int) }

// A run is the recurrence of one start.
type run struct {
	alpha, beta, wrong []float64
	inside             float64 // at least |V z| of the last z
	low                float64 // at most |u^T z_0|, unless it fails
	ended              bool
}

func newSearch(c *certifier, p products, coupling float64) *search {
	d, r := c.d, c.r
	s := &search{c: c, p: p, coupling: coupling, turned: make([]float64, d*r), z: make([]float64, starts*d), before: make([]float64, starts*d), w: make([]float64, starts*d)}
	blas.Transpose64(algebra.Block(s.turned, d, r), algebra.Block(c.basis, r, d))
	algebra.FillNormal(s.w, rand.NewPCG(c.searchSeed(), searchStream))
	var whole [starts]float64
	for i := range s.runs {
		whole[i] = math.Sqrt(vec.SquaredNorm64(s.row(s.w, i)))
	}
	s.project()
	for i := range s.runs {
		left := s.length(i)
		s.runs[i].low = (smallest-float64((s.projectionError()+0x1p-46)*whole[i]))/left - 8*algebra.Unit
		s.next(i, whole[i], left, whole[i])
	}
	return s
}

func (s *search) row(x []float64, i int) []float64 { return x[i*s.c.d : (i+1)*s.c.d] }

// length returns a number that is at least |w| of a start.
func (s *search) length(i int) float64 {
	return algebra.Up(math.Sqrt(vec.SquaredNorm64(s.row(s.w, i))) * (1 + algebra.Gamma(s.c.d+8)))
}

// project takes V^T V w off each w.
func (s *search) project() {
	d, r := s.c.d, s.c.r
	if r == 0 {
		return
	}
	products := make([]float64, starts*r)
	w := algebra.Block(s.w, starts, d)
	coefficients := algebra.Block(products, starts, r)
	blas.Gemm64(coefficients, w, algebra.Block(s.c.basis, r, d), s.c.threads)
	algebra.Scale(products, -1)
	blas.Gemm64(w, coefficients, algebra.Block(s.turned, d, r), s.c.threads)
}

// projectionError returns a bound on the error of subtracting V^T c from w, where
// c = V w as computed, over |w|: r fused products for each element.
func (s *search) projectionError() float64 {
	return float64(1.1 * algebra.Gamma(s.c.r+2) * (math.Sqrt(float64(s.c.r)) + 1))
}

// next makes w, of length left, the next z, where it was whole before V^T V w was
// taken off: of V z that leaves (I - V V^T) V w and errors. What is tiny beside unit
// is the end.
func (s *search) next(i int, whole, left, unit float64) {
	run := &s.runs[i]
	outside := 1.1 * (s.c.off + float64(algebra.Gamma(s.c.d+2)*math.Sqrt(float64(s.c.r))) + s.projectionError())
	run.inside = algebra.Up(outside * whole / left)
	if run.ended = !(left > 1e-13*unit); run.ended {
		clear(s.row(s.z, i))
		return
	}
	copy(s.row(s.before, i), s.row(s.z, i))
	copy(s.row(s.z, i), s.row(s.w, i))
	algebra.Scale(s.row(s.z, i), 1/left)
}

// more reports whether another step may tell something.
func (s *search) more() bool {
	for i := range s.runs {
		if !s.runs[i].ended {
			return s.steps < mostSteps
		}
	}
	return false
}

// due reports whether to compute the bound: after steps a quarter more each time.
func (s *search) due() bool {
	next := 4
	for next < s.steps {
		next += max(4, next/4)
	}
	return next == s.steps || !s.more()
}

// step takes every recurrence one step further.
func (s *search) step() {
	s.steps++
	s.p.Apply(s.w, s.z, starts)
	algebra.Divide(s.w, float64(s.c.n))
	var whole [starts]float64
	for i := range s.runs {
		run := &s.runs[i]
		if run.ended {
			continue
		}
		w, z := s.row(s.w, i), s.row(s.z, i)
		alpha := vec.Dot64(w, z)
		vec.Axpy64(w, -alpha, z)
		if j := len(run.beta); j > 0 {
			vec.Axpy64(w, -run.beta[j-1], s.row(s.before, i))
		}
		run.alpha = append(run.alpha, alpha)
		whole[i] = s.length(i)
	}
	s.project()
	for i := range s.runs {
		if run := &s.runs[i]; !run.ended {
			left := s.length(i)
			run.wrong = append(run.wrong, s.wrong(run, whole[i], left))
			run.beta = append(run.beta, left)
			s.next(i, whole[i], left, s.c.size.raw)
		}
	}
}

// wrong returns phi of the step whose alpha is the last: for what of z is not outside
// of V, the product with Sigma, the two subtractions, the projection and the scaling.
func (s *search) wrong(run *run, whole, left float64) float64 {
	j := len(run.alpha) - 1
	size := whole + math.Abs(run.alpha[j]) + left
	if j > 0 {
		size += run.beta[j-1]
	}
	product := 2.1 * algebra.Gamma(s.c.n+s.c.d+32) * s.c.size.raw
	return algebra.Up(float64(1.1*s.coupling*run.inside) + product + float64(8*algebra.Unit*size) + float64(s.projectionError()*whole))
}

// bound returns an upper bound on the largest eigenvalue of B, at most most, which
// is one too.
func (s *search) bound(most float64) float64 {
	worst := 0.0
	for i := range s.runs {
		run := &s.runs[i]
		worst = max(worst, least(most, run.excludes))
	}
	return min(most, algebra.Up(worst))
}

// value returns the largest eigenvalue of any T, to a few digits.
func (s *search) value() float64 {
	most := 0.0
	for i := range s.runs {
		run := &s.runs[i]
		if len(run.alpha) == 0 {
			continue
		}
		most = max(most, least(s.c.size.upper, func(lambda float64) bool { return run.pivots(lambda) != nil }))
	}
	return most
}

// least returns a number for which holds is true, not much above the least, or most.
// What holds for a number holds for all above.
func least(most float64, holds func(float64) bool) float64 {
	if !holds(most) {
		return most
	}
	lo, hi := 0.0, most
	for range 200 {
		if !(hi-lo > 1e-7*hi) {
			break
		}
		middle := (lo + hi) / 2
		if lo == 0 {
			middle = hi / 16
		}
		if holds(middle) {
			hi = middle
		} else {
			lo = middle
		}
		if hi < 1e-300 {
			break
		}
	}
	return hi
}

// pivots returns those of lambda I - T from the last row up, nil unless all are
// positive. As computed they are at most those of lambda (1 + 16 unit): the error of
// each is at most 5 unit (lambda - alpha), for what is subtracted is no more than
// that; and larger pivots below make larger ones above.
func (r *run) pivots(lambda float64) []float64 {
	m := len(r.alpha)
	if m == 0 {
		return nil
	}
	delta := make([]float64, m)
	for j := m - 1; j >= 0; j-- {
		delta[j] = lambda - r.alpha[j]
		if j < m-1 {
			delta[j] -= r.beta[j] * r.beta[j] / delta[j+1]
		}
		if !(delta[j] > 0) {
			return nil
		}
	}
	return delta
}

// excludes reports whether (1) is false for lambda.
func (r *run) excludes(lambda float64) bool {
	delta := r.pivots(lambda)
	if delta == nil {
		return false
	}
	x, sum := 1/delta[0], 0.0
	for j, pivot := range delta[1:] {
		sum += float64(r.wrong[j] * x)
		x *= r.beta[j] / pivot
	}
	last := len(delta) - 1
	sum += float64((r.wrong[last] + r.beta[last]) * x)
	return sum*(1+algebra.Gamma(8*len(delta)+8)) < r.low
}
