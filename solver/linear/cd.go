package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// CD is coordinate descent over columns with working sets, inside a proximal
// Newton method (Yuan, Ho, Lin: An improved GLMNET, 2012; working sets as in
// Massias, Gramfort, Salmon: Celer, 2018).
//
//	Problem   minimise P(w,b) of package problem with a curved loss and a
//	          penalty with a corner: l1 or elastic-net
//	Symbols   r_i = s_i l_i'(p_i)/N, h_i = s_i l_i''(p_i)/N, g = X^T r
//	Epoch     1 gradient g over all columns; the working set is every column
//	            with a weight and the columns that violate optimality most,
//	            twice as many as are in use, at least 30
//	          2 the quadratic model sum_i h_i (x_i d)^2/2 + <g,d> + penalty is
//	            minimised over the working set by passes over its columns,
//	            each column exactly, and by steps of Newton's method over the
//	            columns in use (cd_face.go); the model's matrix is formed where
//	            that is cheaper than the passes (cd_gram.go)
//	          3 w + t d with the first t of 1, 1/2, 1/4 ... that decreases P
//	            enough (Armijo, Tseng and Yun)
//	Flat      a column that only rows without curvature use (all of them on a
//	          straight piece of the loss) gets the largest curvature the loss can
//	          have: its step is then one of proximal gradient descent. While t = 1
//	          that is enough, it gets a quarter of it the next time, or a far
//	          point on a plateau would take thousands of epochs to come back
//	Bias      one more column of ones: with the penalty if a feature, without if
//	          free
//	Returned  w, and a_i = l_i'(p_i), which the certificate scales into the box
//	Cost      O(nonzeros) per epoch for g, and O(nonzeros of the working set) for
//	          each inner pass; memory O(n + d) and a copy of the data by columns
type CD struct{}

var _ solver.Solver = CD{}

func init() {
	solvers.Register(registry.Entry[solver.Solver]{Name: "cd",
		Summary: "coordinate descent over columns with working sets: smooth loss, penalty l1 or elastic-net",
		New:     func(*registry.Params) (solver.Solver, error) { return CD{}, nil }})
}

// Accepts wants a loss with a curvature and a penalty with a corner.
func (CD) Accepts(p problem.Problem) error {
	l, err := linearProblem(p)
	if err != nil {
		return err
	}
	if _, ok := l.Penalty.(penalty.Sparse); !ok {
		return errors.New("solver cd needs the penalty l1 or elastic-net; for l2 use sdca")
	}
	if _, ok := l.Loss.(loss.Curved); !ok {
		return fmt.Errorf("solver cd needs a smooth loss such as squared-hinge, logistic or squared: moving one weight at a time gets stuck at the corners of %T", l.Loss)
	}
	return nil
}

// Start begins at w = 0 with the best bias, or at the weights of from.
func (CD) Start(p problem.Problem, from *problem.Point, _ uint64) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	s := &cd{p: l, loss: l.Loss.(loss.Curved), columns: matrix.Transpose(l.X), mu: l.Penalty.StrongConvexity(),
		corner: l.Penalty.(penalty.Sparse).Corner(),
		w:      make([]float64, d+1), d: make([]float64, d+1), g: make([]float64, d+1), square: make([]float64, d+1), bound: make([]float64, d+1), damp: make([]float64, d+1),
		prediction: make([]float64, n), move: make([]float64, n), one: make([]float64, 1), r: make([]float64, n), h: make([]float64, n), a: make([]float64, n)}
	switch {
	case from != nil && len(from.W) == d+1:
		copy(s.w, from.W)
		if l.Bias == problem.None {
			s.w[d] = 0
		}
	case l.Bias == problem.Free:
		s.w[d] = l.BestBias(nil, 0, 1e-6)
	}
	for i, weight := range l.S {
		s.h[i] = weight / l.N * l.Loss.Smoothness()
	}
	for j := range s.bound {
		s.bound[j] = s.curvature(j, s.h)
	}
	s.tolerance, s.flat = math.Inf(1), 1
	l.Predict(s.prediction, s.w)
	return s
}

type cd struct {
	p       *problem.Linear
	loss    loss.Curved
	columns *matrix.CSR // X transposed
	mu      float64     // of the penalty
	corner  float64     // of the penalty

	w, d, g, square []float64 // d+1 each: weights, step, gradient, curvature
	bound           []float64 // d+1: an upper bound of any curvature
	damp            []float64 // d+1: what the model adds to the curvature
	flat            float64   // share of bound that a flat column gets
	prediction      []float64 // n: X w + b
	move            []float64 // n: X d
	r, h, a         []float64 // n
	one             []float64 // scratch: one weight
	working         []int     // columns; d stands for the bias
	gram            gram      // the model's matrix over them
	formed          bool      // it is in use
	face            cdFace    // minimises it
	gap             float64   // about, relative, where the last epoch began
	tolerance       float64   // violation at which the inner passes stop
}

// Epoch makes one step of Newton's method.
func (s *cd) Epoch() {
	s.differentiate()
	worst := s.choose()
	if s.judge(); worst == 0 {
		return
	}
	s.tolerance = min(s.tolerance, 0.1*worst)
	clear(s.move)
	clear(s.d)
	for _, j := range s.working {
		s.square[j], s.damp[j] = s.curvature(j, s.h), 0
		if s.square[j] <= 1e-10*s.bound[j] {
			s.damp[j] = s.flat * s.bound[j]
		}
	}
	s.descend()
	s.search()
}

// judge estimates the gap of w and the slopes there, which the certificate scales into
// the box: of the conjugates of the losses it takes the tangent.
func (s *cd) judge() {
	n, u, along := s.p.Penalised(), s.d[:s.p.Penalised()], 0.0
	for j := range n {
		u[j] = -s.g[j] / s.p.Lambda
		along += float64(s.g[j] * s.w[j])
	}
	scale, value := s.p.Penalty.Conjugate(u)
	omega := s.p.Penalty.Value(s.w[:n])
	s.gap = (float64(s.p.Lambda*(omega+value)) + float64(scale*along)) / s.objective(0)
}

// Estimate returns about the relative gap of the point where the last epoch began.
func (s *cd) Estimate() float64 { return s.gap }

// differentiate sets r, h and the gradient of the losses.
func (s *cd) differentiate() {
	for i, y := range s.p.Y {
		scale := s.p.S[i] / s.p.N
		s.r[i] = scale * s.loss.Derivative(s.prediction[i], y)
		s.h[i] = scale * s.loss.Curvature(s.prediction[i], y)
	}
	n := len(s.g) - 1
	parallel.Blocks(n, 1024, s.p.Threads, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			s.g[j] = s.dot(j, s.r)
		}
	})
	s.g[n] = s.dot(n, s.r)
}

// penalised reports whether the penalty sees column j.
func (s *cd) penalised(j int) bool { return j < s.p.Penalised() }

// violation returns the distance of 0 from the subdifferential of P along j,
// when the losses have slope g there.
func (s *cd) violation(j int, w, g float64) float64 {
	if !s.penalised(j) {
		return math.Abs(g)
	}
	t := float64(s.p.Lambda * s.corner)
	g += float64(s.p.Lambda * s.mu * w)
	switch {
	case w > 0:
		return math.Abs(g + t)
	case w < 0:
		return math.Abs(g - t)
	}
	return max(0, math.Abs(g)-t)
}

// choose makes the working set and returns the largest violation.
func (s *cd) choose() (worst float64) {
	type candidate struct {
		column    int
		violation float64
	}
	var others []candidate
	s.working = s.working[:0]
	for j, w := range s.w {
		if j == len(s.w)-1 && s.p.Bias == problem.None {
			break
		}
		v := s.violation(j, w, s.g[j])
		worst = max(worst, v)
		if w != 0 || !s.penalised(j) {
			s.working = append(s.working, j)
		} else if v > 0 {
			others = append(others, candidate{j, v})
		}
	}
	slices.SortFunc(others, func(a, b candidate) int {
		switch {
		case a.violation > b.violation:
			return -1
		case a.violation < b.violation:
			return 1
		}
		return a.column - b.column
	})
	for _, c := range others[:min(len(others), max(30, 2*len(s.working)))] {
		s.working = append(s.working, c.column)
	}
	slices.Sort(s.working)
	return worst
}

// search goes along d as far as the objective falls.
func (s *cd) search() {
	start := s.objective(0)
	slope := 0.0 // of the model, an upper bound of the directional derivative
	penalised := s.p.Penalised()
	whole := slices.Clone(s.w)
	for j, d := range s.d {
		slope += float64(s.g[j] * d)
		whole[j] += d
	}
	slope += float64(s.p.Lambda * (s.p.Penalty.Value(whole[:penalised]) - s.p.Penalty.Value(s.w[:penalised])))
	t := 1.0
	for range 40 {
		if s.objective(t) <= start+float64(0.01*t*min(slope, 0))+float64(1e-15*math.Abs(start)) {
			break
		}
		t /= 2
	}
	if t == 1 {
		s.flat = max(s.flat/4, 1e-8)
	} else {
		s.flat = min(s.flat/t, 1)
	}
	for j, d := range s.d {
		s.w[j] += float64(t * d)
	}
	for i, m := range s.move {
		s.prediction[i] += float64(t * m)
	}
}

// objective returns P at w + t d.
func (s *cd) objective(t float64) float64 {
	sum := 0.0
	for i, y := range s.p.Y {
		sum += float64(s.p.S[i] * s.loss.Value(s.prediction[i]+float64(t*s.move[i]), y))
	}
	w := slices.Clone(s.w[:s.p.Penalised()])
	for j := range w {
		w[j] += float64(t * s.d[j])
	}
	return sum/s.p.N + float64(s.p.Lambda*s.p.Penalty.Value(w))
}

// Point returns the weights and the derivatives there.
func (s *cd) Point() problem.Point {
	s.p.Predict(s.prediction, s.w)
	for i, y := range s.p.Y {
		s.a[i] = s.loss.Derivative(s.prediction[i], y)
	}
	return problem.Point{W: s.w, A: s.a}
}
