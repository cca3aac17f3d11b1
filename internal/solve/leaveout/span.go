// Package leaveout tells from one kernel machine what machines trained without one of its rows
// would predict.
package leaveout

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// Span is the span rule (Vapnik, Chapelle 2000, "Bounds on error expectation for support vector
// machines"): the leave-one-out error of two classes, from the support vectors of one machine.
//
// Problem: problem.Kernel, beta and b being optimal, of the hinge or a loss of margins that rises as a
// parabola, as squared-hinge does, and a positive semidefinite kernel. Row p is predicted by the machine
// of all others with the same C.
//
// Symbols: F the free rows, whose dual variables are between the ends of their domain, and the
// other support vectors at an end; K with 1 added for a bias that is penalised; D_i = lambda N/(2 s_i)
// of the squared hinge, 0 of the hinge. Without p, as long as no other row comes to an end or leaves it,
//
//	(K + D)_GG d + e 1 = K_Gp beta_p,   sum d = beta_p and e free if the bias is free, else e = 0
//	prediction of p without it = f(x_p) + D_p beta_p - beta_p S_p^2
//
// where G is F without p, d and e the changes of beta and b, and S_p, the span, is the distance of
// the image of p from the affine hull of those of G (from the linear hull where the bias is not
// free). It is found with the factor of (K + D)_FF + rho 1 1^T, M its inverse, u = M 1:
//
//	p in F      S_p^2 = 1/(M_pp - u_p^2/sum u)
//	others      S_p^2 = s + (1 - sum v)^2/sum u,  v = M K'_Fp,  s = K'_pp - K'_pF v
//
// A row that is no support vector is predicted as before, which is right.
//
// The assumption is checked for each p: the conditions of an optimum are, for all other rows,
// with the dual variables and responses that follow. Where they hold, up to twice the largest violation
// in the machine given or 0.001, the prediction is that of the machine trained without p. Where they do not, the rule
// is an estimate, and bounds nothing.
//
// Cost: |F|^3/3 + |S| |F| (|F| + n), S the support vectors; memory 8 |F| (|F| + n) bytes.
type Span struct {
	Prediction []float64 // of each row by the machine of the others, by the rule; NaN: there is none
	Checked    []bool    // it is that, as the assumption holds

	Wrong     int // rows predicted wrongly without them, by the rule
	Unchecked int // support vectors for which the assumption does not hold
	AtMost    int // rows that are wrong without them, whatever becomes of those
}

// mostBytes is how much memory the rule takes at most.
const mostBytes = 2 << 30

// mostViolation is by how much the conditions of an optimum may be missed where they are said to hold.
const mostViolation = 1e-3

// NewSpan applies the rule to the coefficients and the bias w of a machine, n+1 numbers. violation is the
// largest of the conditions of an optimum, see problem.Facts.
func NewSpan(p *problem.Kernel, w []float64, violation float64) (*Span, error) {
	inverse, ok := p.Loss.(loss.Invertible)
	_, margin := p.Loss.(loss.Margin)
	_, end := p.Loss.Domain(-1)
	switch {
	case !loss.IsHinge(p.Loss) && !(ok && margin && inverse.Straight() && math.IsInf(end, 1)):
		return nil, fmt.Errorf("the span rule is for the losses hinge and squared-hinge, found %s: expected one of them, or folds", loss.Name(p.Loss))
	case !p.Definite():
		return nil, fmt.Errorf("the span rule needs a positive semidefinite kernel, found %s: expected folds", kernel.Name(p.Kernel))
	case math.IsInf(violation, 1):
		return nil, fmt.Errorf("the span rule needs coefficients of dual variables, which this solver does not return: expected another solver, such as auto, or folds")
	}
	s := &spans{p: p, loss: inverse, beta: w[:p.Len()], tolerance: min(2*violation, mostViolation) + 1e-9}
	if err := s.sort(); err != nil {
		return nil, err
	}
	s.factorise(w[p.Len()])
	return s.count(), nil
}

// spans is the state of NewSpan.
type spans struct {
	p         *problem.Kernel
	loss      loss.Invertible
	beta      []float64
	response  []float64 // predictions of all rows
	tolerance float64

	free, other []int     // support vectors
	place       []int     // of a row in free; -1: it is not
	rows        []float64 // K of the free rows, |F| x n
	gram        *gram.Gram
	factor      lapack.Cholesky
	rho         float64
	u           []float64 // M 1
	sum         float64   // of u
	ramp        []float64 // D of the free rows
}

// dual is the dual variable of row i with the coefficient b.
func (s *spans) dual(i int, b float64) float64 { return -b * (s.p.Lambda * s.p.N / s.p.S[i]) }

// sort finds the free rows and the other support vectors.
func (s *spans) sort() error {
	n := s.p.Len()
	s.place = make([]int, n)
	for i, b := range s.beta {
		if s.place[i] = -1; b == 0 {
			continue
		}
		a := s.dual(i, b)
		lo, hi := s.p.Loss.Domain(s.p.Y[i])
		const near = 1e-9
		if a <= lo*(1-near) && lo < 0 || a >= hi*(1-near) && hi > 0 {
			s.other = append(s.other, i)
			continue
		}
		whole, _ := s.loss.Inverse(a, s.p.Y[i])
		half, _ := s.loss.Inverse(a/2, s.p.Y[i])
		s.place[i] = len(s.free)
		s.free = append(s.free, i)
		s.ramp = append(s.ramp, (whole-half)/(a/2)*(s.p.Lambda*s.p.N/s.p.S[i]))
	}
	if f := len(s.free); 8*int64(f)*int64(f+n) > mostBytes {
		return fmt.Errorf("the span rule of %d free support vectors takes %d MB, expected at most %d: expected the estimate xi-alpha, or folds", f, 8*int64(f)*int64(f+n)>>20, mostBytes>>20)
	}
	return nil
}

// factorise computes the rows of K and the factor, and the predictions of all rows.
func (s *spans) factorise(bias float64) {
	p, n, f := s.p, s.p.Len(), len(s.free)
	s.response = make([]float64, n)
	p.Combine(s.response, s.beta)
	for i := range s.response {
		s.response[i] += bias
	}
	s.gram = p.InDouble(2)
	s.rows = make([]float64, f*n)
	for k, i := range s.free {
		s.row(s.rows[k*n:k*n+n], i)
	}
	if p.Bias == problem.Free {
		for _, d := range p.Diagonal {
			s.rho = max(s.rho, d)
		}
	}
	m := make([]float64, f*f)
	for k := range f {
		for l, j := range s.free {
			m[k*f+l] = s.rows[k*n+j] + s.rho
		}
		m[k*f+k] += s.ramp[k]
	}
	s.factor.Decompose(m, f, p.Threads())
	s.u = make([]float64, f)
	for k := range s.u {
		s.u[k] = 1
	}
	s.factor.Solve(s.u, s.u)
	s.sum = vec.Total(s.u)
}

// row sets dst to row i of K.
func (s *spans) row(dst []float64, i int) {
	row := s.gram.Rows([]int{i})[0]
	for j := range dst {
		dst[j] = row.At(j) + s.p.Constant()
	}
}
