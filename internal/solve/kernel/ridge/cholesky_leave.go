package ridge

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/problem"
)

// LeftOut is what kernel ridge regression with one lambda would predict for each
// row if it had been trained without that row.
//
// The other rows keep their C_j = s_j/(lambda N) for that, N being the weight of
// all rows: it is the sum of squared errors that lacks a term.
type LeftOut struct {
	Lambda   float64
	Residual []float64 // the target of each row, less what is predicted without it
	Error    float64   // (1/N) sum_i s_i Residual_i^2
	W        []float64 // the solution with all rows: n coefficients, and the bias
}

// PredictLeftOut solves p, whose own lambda does not count, for all the lambdas, and
// leaves out one row after the other for each (Allen 1974; for kernels with a free
// bias Cawley and Talbot 2004).
//
// With A the matrix of the system that [Cholesky] solves, M for the rows and a last
// row and column of ones for a free bias,
//
//	y_i - prediction without row i = beta_i/(A^-1)_ii,
//
// as follows from the inverse of A without row i, a Schur complement. With u = M^-1 1
// a free bias takes u_i^2/1^T u off (M^-1)_ii. A row without which nothing is
// determined (the only one, with a free bias) has the residual NaN.
//
// There is one factorisation, S^1/2 K S^1/2 = Q T Q^T, lapack.Tridiagonal, for all c =
// lambda N: M^-1 = S^1/2 Q (T + c I)^-1 Q^T S^1/2. With T + c I = L D L^T the diagonal
// of that takes the column z of L^-1 Q^T for each row, a recurrence of two terms:
// n^2 multiplications for each lambda, after 4n^3/3. Memory: 16 n^2 bytes.
func (s Cholesky) LeaveOneOut(p *problem.Kernel, lambdas []float64) ([]LeftOut, error) {
	if err := s.Accepts(p); err != nil {
		return nil, err
	}
	for _, lambda := range lambdas {
		if !(lambda > 0) || math.IsInf(lambda, 1) {
			return nil, fmt.Errorf("lambda=%g: expected a number > 0", lambda)
		}
	}
	path := newRidgePath(p)
	left := make([]LeftOut, len(lambdas))
	for k, lambda := range lambdas {
		left[k] = path.at(lambda)
	}
	return left, nil
}

// ridgePath is the factorisation, and what does not depend on lambda either.
type ridgePath struct {
	*lapack.Tridiagonal
	p             *problem.Kernel
	root          []float64 // S^1/2
	targets, ones []float64 // Q^T S^1/2 y, Q^T S^1/2 1
}

func newRidgePath(p *problem.Kernel) *ridgePath {
	n := p.Len()
	r := &ridgePath{p: p, root: make([]float64, n), targets: make([]float64, n), ones: make([]float64, n)}
	scaled := make([]float64, n)
	for i := range n {
		r.root[i] = math.Sqrt(p.S[i])
		scaled[i] = r.root[i] * p.Y[i]
	}
	m := support.Square(p, nil)
	for i := range n {
		row := m[i*n : i*n+n]
		for j := range row {
			row[j] *= float64(r.root[i] * r.root[j])
		}
	}
	r.Tridiagonal = lapack.NewTridiagonal(m, n, p.Threads())
	for k := range n {
		column := r.Q[k*n : k*n+n]
		r.targets[k] = vec.Dot64(column, scaled)
		r.ones[k] = vec.Dot64(column, r.root)
	}
	return r
}

// at returns all there is to say for one lambda.
func (r *ridgePath) at(lambda float64) LeftOut {
	p, n := r.p, r.p.Len()
	shifted := r.Shift(lambda * p.N)
	v, u, inverse := make([]float64, n), make([]float64, n), make([]float64, n)
	x, h := make([]float64, n), make([]float64, n)
	shifted.Solve(x, r.targets)
	shifted.Solve(h, r.ones)
	parallel.Blocks(n, 512, p.Threads(), func(_, lo, hi int) {
		r.columns(x, v[lo:hi], lo)
		r.columns(h, u[lo:hi], lo)
		r.inverse(shifted, inverse[lo:hi], lo)
	})
	left := LeftOut{Lambda: lambda, Residual: make([]float64, n), W: make([]float64, n+1)}
	bias, all := 0.0, vec.Total(u)
	if p.Bias == problem.Free {
		bias = vec.Total(v) / all
	}
	var squares vec.Sum
	for i := range n {
		b := v[i] - float64(bias*u[i])
		d := inverse[i]
		if p.Bias == problem.Free {
			d -= float64(u[i] * (u[i] / all))
		}
		if !(d > 0) {
			d = math.NaN()
		}
		left.W[i], left.Residual[i] = b, b/d
		squares.Add(p.S[i] * left.Residual[i] * left.Residual[i])
	}
	left.Error = squares.Value() / p.N
	if left.W[n] = bias; p.Bias == problem.Feature {
		left.W[n] = vec.Total(left.W[:n])
	}
	return left
}

// columns sets rows lo, lo+1, ... of S^1/2 Q x.
func (r *ridgePath) columns(x, dst []float64, lo int) {
	n := len(x)
	for k, c := range x {
		vec.Axpy64(dst, c, r.Q[k*n+lo:][:len(dst)])
	}
	for i := range dst {
		dst[i] *= r.root[lo+i]
	}
}

// inverse sets elements lo, lo+1, ... of the diagonal of M^-1.
func (r *ridgePath) inverse(shifted lapack.Shifted, dst []float64, lo int) {
	n := len(shifted.D)
	z := make([]float64, len(dst))
	for k, d := range shifted.D {
		column := r.Q[k*n+lo:][:len(dst)]
		below, part := 0.0, 1/d
		if k > 0 {
			below = shifted.Below[k-1]
		}
		for i, q := range column {
			z[i] = q - float64(below*z[i])
			dst[i] += float64(float64(z[i]*z[i]) * part)
		}
	}
	for i := range dst {
		dst[i] *= r.p.S[lo+i]
	}
}
