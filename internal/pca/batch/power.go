package batch

import (
	"context"
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
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
// (NaN: as Problem.Loss needs it) times the captured second moment; epsilon is then
// about the square of that.
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
	method.Register("power", "orthogonal iteration; passes=1000, tol: by the gap, or 1e-8, shift=none|optimal", func(p *registry.Params) (method.Method, error) {
		m := Power{Passes: p.Int("passes", 1000, 1, math.MaxInt32), Tolerance: lossTolerance(p)}
		m.Optimal = p.Choice("shift", "none", "optimal") == "optimal"
		return m, p.Err()
	})
}

// Refines implements Refining.
func (m Power) Refines(method.Problem) bool { return math.IsNaN(m.Tolerance) }

// Solve implements Batch.
func (m Power) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	if err := empty(x); err != nil {
		return method.Basis{}, err
	}
	enough := residualOf(m.Tolerance, p)
	s := newRitz(view.MomentOf(x, p.Threads), algebra.RandomBasis(p.Seed, p.K, p.Cols), p.K)
	for pass := range m.Passes {
		if err := m.pass(ctx, s, pass); err != nil {
			return s.basis(), err
		}
		if s.residual() <= enough {
			break
		}
	}
	return s.basis(), nil
}

// empty returns what is wrong with no rows at all.
func empty(x view.Rows) error {
	if rows, _ := x.Dims(); rows == 0 {
		return errors.New("found no rows, expected at least one")
	}
	return nil
}

func (m Power) pass(ctx context.Context, s *ritz, pass int) error {
	if m.Optimal && pass > 0 {
		return s.extend(ctx)
	}
	if pass > 0 {
		algebra.Orthonormalise(s.g, s.k, s.d)
		s.u, s.g = s.g, s.u
	}
	return s.multiply(ctx)
}

// A ritz is orthonormal directions with what Sigma makes of them, turned within
// their span so that U Sigma U^T is diagonal.
type ritz struct {
	sigma view.Operator
	k, d  int
	u, g  []float64 // k x d: U, and U Sigma
	value []float64 // the diagonal of U Sigma U^T, falling

	eigen algebra.Eigensystem
}

func newRitz(sigma view.Operator, u []float64, k int) *ritz {
	return &ritz{sigma: sigma, k: k, d: sigma.Dim, u: u, g: make([]float64, len(u)), value: make([]float64, k)}
}

// multiply finds U Sigma, by one pass over the rows.
func (s *ritz) multiply(ctx context.Context) error {
	if err := s.sigma.Apply(ctx, s.g, s.u, s.k); err != nil {
		return err
	}
	s.turn(s.k)
	return nil
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
	s.u = algebra.Combine(nil, vectors, s.u, s.k, m, s.d)
	s.g = algebra.Combine(nil, vectors, s.g, s.k, m, s.d)
}

// extend replaces U by the best of the span of U and U Sigma, by one pass.
func (s *ritz) extend(ctx context.Context) error {
	more := min(2*s.k, s.d) - s.k
	if more == 0 {
		return nil
	}
	rest := append([]float64{}, s.g...)
	for i := range s.k {
		vec.Axpy64(rest[i*s.d:(i+1)*s.d], -s.value[i], s.u[i*s.d:(i+1)*s.d])
	}
	s.u = append(s.u, rest[:more*s.d]...)
	algebra.Orthonormalise(s.u, s.k+more, s.d)
	g := make([]float64, more*s.d)
	if err := s.sigma.Apply(ctx, g, s.u[s.k*s.d:], more); err != nil {
		return err
	}
	s.g = append(s.g, g...)
	s.turn(s.k + more)
	return nil
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

// basis returns U.
func (s *ritz) basis() method.Basis {
	s.u = s.u[:s.k*s.d] // a pass that was cut short has added rows
	algebra.Orthonormalise(s.u, s.k, s.d)
	return method.Basis{K: s.k, Cols: s.d, Component: s.u, Value: s.value}
}
