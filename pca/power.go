package pca

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/vec"
)

// Power is the power method, for k > 1 orthogonal iteration:
//
//	U <- orth( U Sigma )
//
// For k = 1 it is gradient ascent on the Rayleigh quotient of eta u + Sigma u with
// exact line search over eta >= 0, of which 0 is the best. Optimal searches all eta:
// it takes the best k directions of the span of U and U Sigma (Rayleigh and Ritz),
// which costs no more passes than it saves: for k = 1 it needs half as many where the
// gap is small, for k > 1 far fewer.
//
// The passes end when the residual |U Sigma - diag(value) U| is at most Tolerance
// times the captured second moment; epsilon is then about the square of that.
//
// Returned: U, its rows by decreasing value. Cost of a pass: O(n k d), on sparse
// rows O(k nonzeros). The error of the subspace falls by lambda_{k+1}/lambda_k a
// pass, epsilon by the square of it.
//
// Thesis 4.2, equation 4.3; reference 2.2.
type Power struct {
	Passes    int
	Tolerance float64
	Optimal   bool
}

func init() {
	register("power", "orthogonal iteration; passes=1000, tol=1e-8, shift=none|optimal", func(p *registry.Params) (Method, error) {
		m := Power{Passes: p.Int("passes", 1000, 1, 1<<40), Tolerance: residualTolerance(p)}
		m.Optimal = p.Choice("shift", "none", "optimal") == "optimal"
		return m, p.Err()
	})
}

// residualTolerance reads how large a residual may be at the end.
func residualTolerance(p *registry.Params) float64 {
	return p.Float("tol", 1e-8, "a number from 0 to 1", func(v float64) bool { return 0 <= v && v <= 1 })
}

// Accepts implements Method.
func (Power) Accepts(p Problem) error { return p.Check() }

// Solve implements Batch.
func (m Power) Solve(ctx context.Context, x Rows, p Problem) (Basis, error) {
	s := newRitz(randomBasis(p.Seed, p.K, p.Cols), p.K, p.Cols)
	for pass := range m.Passes {
		if err := ctx.Err(); err != nil {
			return Basis{}, err
		}
		switch {
		case pass == 0:
			s.multiply(x, p.Threads)
		case m.Optimal:
			s.extend(x, p.Threads)
		default:
			orthonormalise(s.g, s.k, s.d)
			s.u, s.g = s.g, s.u
			s.multiply(x, p.Threads)
		}
		if s.residual() <= m.Tolerance {
			break
		}
	}
	rows, _ := x.Dims()
	return s.basis(rows), nil
}

// A ritz is orthonormal directions with what Sigma makes of them, turned within
// their span so that U Sigma U^T is diagonal. Here Sigma is the sum over the rows.
type ritz struct {
	k, d  int
	u, g  []float64 // k x d: U, and U Sigma
	value []float64 // U Sigma U^T

	eigen eigensystem
}

func newRitz(u []float64, k, d int) *ritz {
	return &ritz{k: k, d: d, u: u, g: make([]float64, k*d), value: make([]float64, k)}
}

// multiply finds U Sigma, by one pass over the rows.
func (s *ritz) multiply(x Rows, threads int) {
	x.Power(s.g, s.u, s.k, threads)
	s.turn(s.k)
}

// turn keeps of the m rows of u the best k directions in their span, and their
// images.
func (s *ritz) turn(m int) {
	h := make([]float64, m*m)
	for i := range m {
		for j := range i + 1 {
			h[i*m+j] = vec.Dot64(s.g[i*s.d:(i+1)*s.d], s.u[j*s.d:(j+1)*s.d])
			h[j*m+i] = h[i*m+j]
		}
	}
	values := make([]float64, m)
	vectors := s.eigen.Decompose(values, h, m)
	copy(s.value, values)
	s.u = combine(nil, vectors, s.u, s.k, m, s.d)
	s.g = combine(nil, vectors, s.g, s.k, m, s.d)
}

// extend replaces U by the best of the span of U and U Sigma.
func (s *ritz) extend(x Rows, threads int) {
	more := min(2*s.k, s.d) - s.k
	if more == 0 {
		return
	}
	rest := append([]float64{}, s.g...)
	for i := range s.k {
		vec.Axpy64(rest[i*s.d:(i+1)*s.d], -s.value[i], s.u[i*s.d:(i+1)*s.d])
	}
	s.u = append(s.u, rest[:more*s.d]...)
	orthonormalise(s.u, s.k+more, s.d)
	g := make([]float64, more*s.d)
	x.Power(g, s.u[s.k*s.d:], more, threads)
	s.g = append(s.g, g...)
	s.turn(s.k + more)
}

// residual returns |U Sigma - diag(value) U| as a part of the sum of the values; 0
// if that is 0.
func (s *ritz) residual() float64 {
	total, squares := 0.0, 0.0
	rest := make([]float64, s.d)
	for _, v := range s.value {
		total += v
	}
	if !(total > 0) {
		return 0
	}
	for i, v := range s.value {
		copy(rest, s.g[i*s.d:(i+1)*s.d])
		vec.Axpy64(rest, -v, s.u[i*s.d:(i+1)*s.d])
		length := math.Sqrt(vec.SquaredNorm64(rest)) / total
		squares += float64(length * length)
	}
	return math.Sqrt(squares)
}

// basis returns U, and the values as means of so many rows.
func (s *ritz) basis(rows int) Basis {
	b := Basis{K: s.k, Cols: s.d, Component: s.u, Value: s.value}
	scale(b.Value, 1/float64(max(rows, 1)))
	orthonormalise(b.Component, b.K, b.Cols)
	return b
}
