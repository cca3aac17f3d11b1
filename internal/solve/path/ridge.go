package path

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// Ridge is least squares for many lambdas from one eigensystem, with the predictions for every
// row by the machine of all others (leave one out; Allen 1974, Cawley and Talbot 2004 with a bias).
//
// Problem: problem.Kernel with the squared loss and any bias. With c = 1/C, S the row weights
// and gamma = S^-1/2 beta it is optimal where
//
//	(M + c I) gamma + b s = S^1/2 y,  M = S^1/2 K S^1/2,  s = S^1/2 1,  and s^T gamma = 0 if the bias is free.
//
// From M = U L U^T, for each C: G = (M + c I)^-1 = U (L + c)^-1 U^T, v = G S^1/2 y, u = G s, b = s^T
// v/s^T u, gamma = v - b u. Without row i, and with the same C for the others, the residual
// of row i would be gamma_i/(H_ii s_i), H = G - u u^T/s^T u (G, if the bias is not free): an
// identity, by the inverse of a matrix in blocks.
//
// Returned are Points machines, C growing by a factor. Cost: n^2 values of K, 10 n^3
// multiplications, and 3 n^2 for each C. Memory: 24 n^2 bytes.
type Ridge struct {
	From, To float64
	Points   int
}

var _ Follower = Ridge{}

// Accepts takes the squared loss.
func (r Ridge) Accepts(p *problem.Kernel) error {
	if !p.LeastSquares() {
		return fmt.Errorf("path: found the loss %s, expected squared", loss.Name(p.Loss))
	}
	if r.Points < 1 || r.Points > 1<<20 {
		return fmt.Errorf("path: found %d points, expected a number from 1 to %d", r.Points, 1<<20)
	}
	return checkRange(p, r.From, r.To)
}

// Follow makes the machines. A cancelled context ends it with its error.
func (r Ridge) Follow(ctx context.Context, p *problem.Kernel, each Each) error {
	p.StopWhen(func() bool { return ctx.Err() != nil })
	defer p.StopWhen(nil)
	held := *p
	held.Gram = p.Gram.Hold()
	if err := ctx.Err(); err != nil {
		return err
	}
	s := newRidge(&held)
	for k := range r.Points {
		c := r.From
		if k > 0 {
			part := float64(k) / float64(r.Points-1)
			c = elementary.Exp(float64((1-part)*elementary.Log(r.From)) + float64(part*elementary.Log(r.To)))
		}
		if k == r.Points-1 && k > 0 {
			c = r.To
		}
		b := s.at(c)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(b); err != nil {
			return err
		}
	}
	return nil
}

// ridge is the eigensystem.
type ridge struct {
	p       *problem.Kernel
	values  []float64 // L
	vectors []float64 // row k: the vector of value k
	root    []float64 // s
	targets []float64 // U^T S^1/2 y
	ones    []float64 // U^T s
}

func newRidge(p *problem.Kernel) *ridge {
	n := p.Len()
	s := &ridge{p: p, values: make([]float64, n), vectors: make([]float64, n*n), root: make([]float64, n), targets: make([]float64, n), ones: make([]float64, n)}
	m, right := make([]float64, n*n), make([]float64, n)
	for i := range n {
		s.root[i] = math.Sqrt(p.S[i])
		right[i] = s.root[i] * p.Y[i]
	}
	for i := range n {
		row := p.Rows([]int{i})[0]
		for j := range i + 1 {
			v := s.root[i] * (row.At(j) + p.Constant()) * s.root[j]
			m[i*n+j], m[j*n+i] = v, v
		}
	}
	lapack.Eigen(s.values, s.vectors, m, n, p.Threads())
	for k := range n {
		u := s.vectors[k*n : k*n+n]
		s.targets[k], s.ones[k] = vec.Dot64(u, right), vec.Dot64(u, s.root)
		s.values[k] = max(0, s.values[k]) // below 0 by roundings alone
	}
	return s
}

// at makes the machine of one C.
func (s *ridge) at(c float64) Breakpoint {
	p, n := at(s.p, c), len(s.values)
	gamma, u, inverse := make([]float64, n), make([]float64, n), make([]float64, n)
	for k, value := range s.values {
		row, by := s.vectors[k*n:k*n+n], 1/(value+1/c)
		vec.Axpy64(gamma, s.targets[k]*by, row)
		vec.Axpy64(u, s.ones[k]*by, row)
		for i, x := range row {
			inverse[i] += float64(float64(by*x) * x)
		}
	}
	bias := 0.0
	if p.Bias == problem.Free {
		total := vec.Dot64(s.root, u)
		bias = vec.Dot64(s.root, gamma) / total
		vec.Axpy64(gamma, -bias, u)
		for i, x := range u {
			inverse[i] -= float64(x*x) / total
		}
	}
	b := Breakpoint{C: c, Free: n, Point: problem.Point{W: make([]float64, n+1), A: make([]float64, n)}, Predictions: make([]float64, n), LeftOut: make([]float64, n)}
	for i, g := range gamma {
		b.Point.A[i] = -g / (c * s.root[i])
		b.LeftOut[i] = p.Y[i] - g/(inverse[i]*s.root[i])
	}
	p.Weights(b.Point.W, b.Point.A)
	if p.Bias == problem.Free {
		b.Point.W[n] = bias
	}
	b.Certificate = p.Certify(b.Point)
	p.Combine(b.Predictions, b.Point.W[:n])
	for i := range b.Predictions {
		b.Predictions[i] += b.Point.W[n]
	}
	return b
}
