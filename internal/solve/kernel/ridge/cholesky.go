// Package ridge holds the squared loss: one factorisation, and what rows left out would be
// predicted.
package ridge

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Cholesky is kernel ridge regression by one factorisation (Saunders, Gammerman,
// Vovk 1998; with a free bias the least-squares machine of Suykens, Vandewalle
// 1999).
//
// Problem: problem.Kernel with the squared loss and any bias. With c = lambda N
// and S = diag(s) it is optimal where
//
//	(K + c S^-1) beta + b 1 = y   and, for a free bias,   1^T beta = 0,
//
// as the dual variables are a = K beta + b 1 - y = -c S^-1 beta. From u = M^-1 1
// and v = M^-1 y, M being the matrix, b = 1^T v/1^T u and beta = v - b u. A bias
// that is a feature adds 1 to all of K.
//
// The first epoch factors M and solves, and every one, the first too, improves the
// solution by the residual of the system, in which K is computed anew, until that
// no longer falls to a half. Returned is the last solution. Cost: n^2 values of K and n^3/3 multiplications, then n^2 values
// each epoch. Memory: 8 n^2 bytes, so that more than Rows rows are refused.
type Cholesky struct{ Rows int } // 0: DefaultCholeskyRows

// DefaultCholeskyRows is how many rows the exact solver takes if nothing else is
// asked: their matrix has 2 GB.
const DefaultCholeskyRows = 1 << 14

var _ solver.Solver = Cholesky{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "cholesky", Summary: "squared loss, exactly, by one factorisation; rows=most rows",
		Facts: registry.Facts{Rate: "one step", Memory: "n^2/2 numbers", Source: "Saunders, Gammerman, Vovk 1998"},
		New: func(p *registry.Params) (solver.Solver, error) {
			rows := p.Int("rows", DefaultCholeskyRows, 1, 1<<20)
			return Cholesky{rows}, p.Err()
		}})
}

// Traits hold the memory of the matrix.
func (Cholesky) Traits() solver.Traits {
	return solver.Traits{Memory: func(rows int) int64 { return 8 * int64(rows) * int64(rows) }}
}

// Accepts takes the squared loss, on not too many rows.
func (s Cholesky) Accepts(p problem.Problem) error {
	k, err := support.KernelProblem(p)
	if err != nil {
		return err
	}
	if s.Rows == 0 {
		s.Rows = DefaultCholeskyRows
	}
	return acceptsRidge(k, s.Rows)
}

// acceptsRidge returns why the problem is no system of linear equations that
// should be solved as a whole, or nil.
func acceptsRidge(p *problem.Kernel, most int) error {
	if !p.LeastSquares() {
		return fmt.Errorf("cholesky solves linear equations: found the loss %s, expected squared, or another solver", loss.Name(p.Loss))
	}
	if !p.Definite() {
		return fmt.Errorf("cholesky needs a positive semidefinite kernel, found %+v: expected another kernel or solver", p.Kernel)
	}
	if n := p.Len(); n > most {
		gigabytes := float64(n) * float64(n) / (1 << 27)
		return fmt.Errorf("cholesky stores the matrix of all pairs of rows: found %d rows, that is %.3g GB, expected at most %d: ask for cholesky:rows=%d, or for another solver", n, gigabytes, most, n)
	}
	return nil
}

// Start does nothing yet: where the run begins does not matter.
func (Cholesky) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	n := k.Len()
	s := &cholesky{p: k, limit: start.Over, beta: make([]float64, n), residual: make([]float64, n), move: make([]float64, n)}
	support.SupportOf(start, func() (all, spared int) { return support.Nonzeros(s.beta) })
	return s
}

type cholesky struct {
	p              *problem.Kernel
	factor         *lapack.Cholesky // of M; nil: not yet
	ones           []float64        // M^-1 1, for a free bias
	beta           []float64
	bias           float64 // free
	residual, move []float64
	size           float64 // of the residual
	done           bool    // the arithmetic gives no more
	limit          support.Limit
	pt             problem.Point
}

func (s *cholesky) Epoch() {
	if s.factor == nil {
		if s.decompose(); s.limit.Reached() {
			return
		}
		copy(s.residual, s.p.Y)
		s.size = math.Inf(1)
		s.improve(0)
	}
	if s.done {
		return
	}
	sum := s.leave()
	if s.p.Cut() {
		return
	}
	before := s.size
	s.size = math.Sqrt(vec.SquaredNorm64(s.residual)) + math.Abs(sum)
	if s.done = !(s.size < before/2); !s.done {
		s.improve(sum)
	}
}

// decompose factors M.
func (s *cholesky) decompose() {
	n := s.p.Len()
	m := support.Square(s.p, s.limit)
	if s.limit.Reached() {
		return
	}
	c := s.p.Lambda * s.p.N
	for i := range n {
		m[i*n+i] += c / s.p.S[i]
	}
	s.factor = &lapack.Cholesky{Stop: s.limit}
	s.factor.Decompose(m, n, s.p.Threads())
	if s.limit.Reached() {
		return
	}
	if s.p.Bias == problem.Free {
		s.ones = make([]float64, n)
		for i := range s.ones {
			s.ones[i] = 1
		}
		s.factor.Solve(s.ones, s.ones)
	}
}

// improve adds the solution for what is missing on the right-hand side: the
// residual, and sum in the row of the constraint.
func (s *cholesky) improve(sum float64) {
	s.factor.Solve(s.move, s.residual)
	if s.ones != nil {
		b := (vec.Total(s.move) - sum) / vec.Total(s.ones)
		s.bias += b
		vec.Axpy64(s.move, -b, s.ones)
	}
	vec.Axpy64(s.beta, 1, s.move)
}

// leave sets the residual to what the solution leaves of y, and returns what it
// leaves of the constraint.
func (s *cholesky) leave() (sum float64) {
	s.p.Combine(s.residual, s.beta)
	c, all := s.p.Lambda*s.p.N, vec.Total(s.beta)
	shift := s.bias + float64(s.p.Constant()*all)
	for i, r := range s.residual {
		s.residual[i] = s.p.Y[i] - shift - r - float64(c/s.p.S[i]*s.beta[i])
	}
	return -all
}

func (s *cholesky) Point() problem.Point {
	n := s.p.Len()
	if s.pt.W == nil {
		s.pt = problem.Point{W: make([]float64, n+1), A: make([]float64, n)}
	}
	c := s.p.Lambda * s.p.N
	for i, b := range s.beta {
		s.pt.A[i] = -float64(c*b) / s.p.S[i]
	}
	s.p.Weights(s.pt.W, s.pt.A)
	if s.p.Bias == problem.Free {
		s.pt.W[n] = s.bias
	}
	return s.pt
}
