package linear

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Preconditioned is stochastic gradient in the inner product of a matrix M that bounds the curvature, on
// batches that grow (Ulbrich 2017, sections 4.3 and 4.5: the M-inner product, Theorem 4.8).
//
//	Problem   minimise P(w,b) with the penalty l2; the loss smooth, d at most 4096
//	Symbols   M = lambda I + (L/N) sum_i s_i x_i x_i^T with the bias, L the smoothness of the loss,
//	          factored once; g the gradient of a batch
//	Update    (w,b) <- (w,b) - M^-1 g. In M the objective has curvatures of at most 1: 1 is the step
//	          of Theorem 4.8. The batch grows by a factor from step to step, so that the noise of
//	          its mean, without replacement, vanishes geometrically
//	Returned  the last iterate; the slopes there are the dual variables
//	Cost      M once, like an epoch of newton; a step O(nonzeros of the batch + d^2)
//	Rate      linear in steps, with the least curvature over L in place of 1/condition; least
//	          squares: one step of all rows
//	Memory    a number a row, and the square of the features
type Preconditioned struct {
	batch  int // 0: four times the features
	growth float64
}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "preconditioned",
		Facts:   registry.Facts{Rate: "linear in steps", Memory: "a number a row and the square of the features", Source: "Ulbrich 2017, 4.3"},
		Summary: "stochastic gradient in the inner product of a bound on the curvature: smooth losses, penalty l2; growth=2, batch=auto",
		New: func(p *registry.Params) (solver.Solver, error) {
			batch, _ := p.FloatOr("batch", "auto", 0, "a whole number from 1 to 2147483647", func(v float64) bool { return v >= 1 && v <= math.MaxInt32 && v == math.Floor(v) })
			growth := p.Float("growth", 2, "a number from 1 to 1e6", func(v float64) bool { return v >= 1 && v <= 1e6 })
			return Preconditioned{int(batch), growth}, p.Err()
		}})
}

// Accepts wants a smooth loss, the penalty l2, and few columns.
func (s Preconditioned) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	n, d := l.Dims()
	switch {
	case !penalty.IsRidge(l.Penalty):
		return errors.New("solver preconditioned needs the penalty l2: its matrix relies on it")
	case math.IsInf(l.Loss.Smoothness(), 1):
		return fmt.Errorf("solver preconditioned needs a smooth loss such as huber-hinge, squared-hinge, logistic or squared, which %s is not", loss.Name(l.Loss))
	case d > hessian.MostColumns:
		return fmt.Errorf("solver preconditioned needs at most %d features for its matrix: found %d", hessian.MostColumns, d)
	case s.batch > n:
		return fmt.Errorf("solver preconditioned needs batches of at most as many rows as there are: found batch=%d, expected at most %d", s.batch, n)
	}
	return nil
}

// Start begins at 0, or at the weights of the warm start.
func (s Preconditioned) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	q := &preconditioned{p: l, limit: start.Over, growth: s.growth, random: rand.NewPCG(start.Seed, 0), at: n,
		w: make([]float64, d+1), order: make([]uint32, n), size: float64(s.batch), slope: make([]float64, n)}
	if q.size == 0 {
		q.size = float64(min(n, 4*(d+1)))
	}
	for i := range q.order {
		q.order[i] = uint32(i)
	}
	if from := start.From; from != nil && len(from.W) == d+1 {
		copy(q.w, from.W)
	}
	if l.Bias == problem.None {
		q.w[d] = 0
	} else if start.From == nil && l.Bias == problem.Free {
		q.w[d] = l.BestBias(nil, 0, 1e-6)
	}
	c := make([]float64, n)
	for i, weight := range l.S {
		c[i] = l.Loss.Smoothness() * weight / l.N
	}
	q.matrix = hessian.New(l, nil)
	q.matrix.Form(l, c)
	q.matrix.Decompose(l)
	columns := d
	if l.Bias != problem.None {
		columns++
	}
	q.g, q.d = make([]float64, columns), make([]float64, columns)
	return q
}

type preconditioned struct {
	p      *problem.Linear
	limit  parts.Limit
	growth float64
	matrix *hessian.Matrix
	random *rand.PCG
	order  []uint32
	at     int
	size   float64 // rows of a batch
	w      []float64
	g, d   []float64
	slope  []float64
}

// Epoch takes steps until they have seen as many rows as there are.
func (s *preconditioned) Epoch() {
	n := len(s.order)
	for seen := 0; seen < n; {
		if s.limit.Reached() {
			return
		}
		seen += s.step(min(n, int(s.size)))
		s.size = min(float64(n), s.size*s.growth)
	}
}

// step takes one on so many rows, and returns how many.
func (s *preconditioned) step(rows int) int {
	n, d := s.p.Dims()
	if s.at+rows > n {
		parts.Shuffle(s.order, s.random)
		s.at = 0
	}
	clear(s.g)
	g := s.g[:d]
	share := float64(n) / (s.p.N * float64(rows))
	bias := 0.0
	for _, i := range s.order[s.at : s.at+rows] {
		x := s.p.X.Row(int(i))
		slope := share * s.p.S[i] * s.p.Loss.Derivative(x.Dot(s.w[:d])+s.w[d], s.p.Y[i])
		x.AddTo(g, slope)
		bias += slope
	}
	s.at += rows
	if len(s.g) > d {
		s.g[d] = bias
	}
	for j := range s.p.Penalised() {
		s.g[j] += float64(s.p.Lambda * s.w[j])
	}
	s.matrix.Solve(s.d, s.g)
	for j, v := range s.d {
		s.w[j] += v
	}
	return rows
}

// Point returns the iterate, with the best bias where that is free.
func (s *preconditioned) Point() problem.Point {
	w := append([]float64(nil), s.w...)
	d := len(w) - 1
	if s.p.Bias == problem.Free {
		w[d] = 0
		s.p.Predict(s.slope, w)
		w[d] = s.p.BestBias(s.slope, s.w[d], 1e-12)
	}
	s.p.Predict(s.slope, w)
	for i, m := range s.slope {
		s.slope[i] = s.p.Loss.Derivative(m, s.p.Y[i])
	}
	return problem.Point{W: w, A: s.slope}
}
