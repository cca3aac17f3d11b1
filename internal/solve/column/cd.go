// Package column solves problems of linear predictors one weight at a time, by coordinate descent
// over columns: for penalties with a corner, at which most weights of wide data stay.
//
//	cd.go       the method: gradient, working set (working.go), line search (search.go)
//	model.go    its quadratic model over the working set, and the matrix of it: gram.go
//	descend.go  minimises that by passes over columns, and by steps over those in use: face.go
//	end.go      ends a run that rounding lets get no further
//
// Ascent over rows is in solver/dual, sums over rows in solver/internal/parts. Another method over
// columns is a file that registers its name, and a row in the table of solver/linear. The package
// imports solver, its internal packages and rooms above.
package column

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// CD is coordinate descent over columns with working sets, inside a proximal
// Newton method (Yuan, Ho, Lin: An improved GLMNET, 2012; working sets as in
// Massias, Gramfort, Salmon: Celer, 2018).
//
//	Problem   minimise P(w,b) of package problem with a curved loss and a
//	          penalty with a corner: l1 or elastic-net
//	Symbols   r_i = s_i l_i'(p_i)/N, h_i = s_i l_i''(p_i)/N, g = X^T r
//	Step      1 gradient g over all columns; the working set is every column
//	            with a weight and the columns that violate optimality most,
//	            twice as many as are in use, at least 30
//	          2 the quadratic model sum_i h_i (x_i d)^2/2 + <g,d> + penalty is
//	            minimised over the working set (descend.go) by passes over its
//	            columns, each column exactly, and by steps of Newton's method over
//	            the columns in use (face.go)
//	          3 w + t d with the first t of 1, 1/2, 1/4 ... that decreases P
//	            enough (Armijo, Tseng and Yun)
//	Epoch     a step, or so much of one as visits each number 16 times
//	Flat      a column that only rows without curvature use (all of them on a
//	          straight piece of the loss) gets the largest curvature the loss can
//	          have: its step is then one of proximal gradient descent. While t = 1
//	          that is enough, it gets a quarter of it the next time, or a far
//	          point on a plateau would take thousands of epochs to come back. Once
//	          t < 1 columns of hardly any curvature, as rows far out give them with
//	          logistic loss, have no less: one such column cut the steps of all
//	Bias      one more column of ones: with the penalty if a feature, without if
//	          free
//	Returned  w, and a_i = l_i'(p_i), which the certificate scales into the box
//	Cost      O(nonzeros) per step for g, and O(nonzeros of the working set) for
//	          each inner pass; memory O(n + d), up to two
//	          copies of the data by columns, and up to twice 32 MB for a model's matrix
type CD struct{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "cd", Facts: registry.Facts{Rate: "linear in passes over columns", Memory: "two numbers a row", Source: "Yuan, Chang, Hsieh, Lin 2010; Massias, Gramfort, Salmon 2018"},
		Summary: "coordinate descent over columns with working sets: smooth loss, penalty l1 or elastic-net",
		New:     func(*registry.Params) (solver.Solver, error) { return CD{}, nil }})
}

// Accepts wants a loss with a curvature and a penalty with a corner.
func (CD) Accepts(p problem.Problem) error {
	l, err := cornered(p, "cd", "sdca")
	if err != nil {
		return err
	}
	if _, ok := l.Loss.(loss.Curved); !ok || math.IsInf(l.Loss.Smoothness(), 1) {
		return fmt.Errorf("solver cd needs a smooth loss such as squared-hinge, logistic or squared: moving one weight at a time gets stuck at the corners of %s", loss.Name(l.Loss))
	}
	return nil
}

// cornered wants a linear predictor and a penalty with a corner; for l2 there is the other solver.
func cornered(p problem.Problem, name, other string) (*problem.Linear, error) {
	l, err := parts.Linear(p)
	if err != nil {
		return nil, err
	}
	if l1, _, nonnegative, _ := penalty.Corners(l.Penalty); !(l1 > 0) && !nonnegative {
		return nil, fmt.Errorf("solver %s needs the penalty l1 or elastic-net; for l2 use %s", name, other)
	}
	return l, nil
}

// begin returns the weights of a warm start, or 0 with the best bias.
func begin(l *problem.Linear, from *problem.Point) []float64 {
	_, d := l.Dims()
	w := make([]float64, d+1)
	switch {
	case from != nil && len(from.W) == d+1:
		copy(w, from.W)
		l.Penalty.Prox(w[:l.Penalised()], w[:l.Penalised()], 0) // of negative weights the penalty may be infinite
		if l.Bias == problem.None {
			w[d] = 0
		}
	case l.Bias == problem.Free:
		w[d] = l.BestBias(nil, 0, 1e-6)
	}
	return w
}

// Start begins at w = 0 with the best bias, or at the weights of the warm start.
func (CD) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	corner, mu, nonnegative, _ := penalty.Corners(l.Penalty)
	s := &cd{p: l, nonnegative: nonnegative, over: start.Over, loss: l.Loss.(loss.Curved), mu: mu, corner: corner, most: l.Loss.Smoothness() / l.N, one: make([]float64, 1)}
	s.w = begin(l, start.From)
	s.gap = math.Inf(1)
	for _, v := range []*[]float64{&s.d, &s.g, &s.trial, &s.bound} {
		*v = make([]float64, d+1)
	}
	for _, v := range []*[]float64{&s.prediction, &s.move, &s.r, &s.h, &s.a} {
		*v = make([]float64, n)
	}
	s.prepare()
	return s
}

// prepare turns the data and does what takes as long as a pass over them or two, unless
// a limit is reached on the way: then no epoch follows.
func (s *cd) prepare() {
	l := s.p
	n, d := l.Dims()
	if s.columns = l.Columns(s.over.Reached); s.columns == nil {
		return
	}
	if l.Bias != problem.None {
		s.ones = make([]float32, n)
		for i := range s.ones {
			s.ones[i] = 1
		}
	}
	s.boundCurvatures()
	s.tolerance, s.flat, s.quantum = math.Inf(1), 1, max(leastVisits, epochVisits*(l.Nonzeros+int64(n)+int64(d)))
	if s.over.Reached() {
		return
	}
	s.predict()
	s.value = s.objective(0)
	s.differentiate()
}

// boundCurvatures sets bound: where all rows weigh the same, by norms that all problems of the rows share.
func (s *cd) boundCurvatures() {
	l := s.p
	if slices.Min(l.S) == slices.Max(l.S) {
		for j, norm := range l.ColumnNorms() {
			s.bound[j] = s.most * l.S[0] * norm * norm
		}
		return
	}
	for i, weight := range l.S {
		s.h[i] = s.most * weight
	}
	parallel.Blocks(len(s.bound), 256, l.Threads, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			s.bound[j] = s.curvature(j, s.h)
		}
	})
}

// predict sets prediction to X w + b: where few weights are in use, by their columns alone.
func (s *cd) predict() {
	used, last := int64(0), len(s.w)-1
	for j, w := range s.w[:last] {
		if w != 0 {
			used += int64(s.columns.Row(j).Nonzeros())
		}
	}
	if 4*used > s.p.Nonzeros {
		s.p.Predict(s.prediction, s.w)
		return
	}
	for i := range s.prediction {
		s.prediction[i] = s.w[last]
	}
	for j, w := range s.w[:last] {
		if w != 0 {
			s.column(j).AddTo(s.prediction, w)
		}
	}
}

type cd struct {
	p           *problem.Linear
	over        parts.Limit
	loss        loss.Curved
	columns     *matrix.CSR // X transposed, shared by all problems of these rows
	ones        []float32   // the column of the bias
	mu          float64     // of the penalty
	corner      float64     // of the penalty
	nonnegative bool        // as weights must be
	most        float64     // h_i/s_i is at most this

	end       error     // why nothing more can be proved; nil: it can
	one       []float64 // scratch: one weight
	working   []int     // columns of the working set; index d is the bias
	use       int       // of them with a weight
	model     model     // over them
	face      face      // minimises it
	descent   descent
	tolerance float64 // violation at which the model is minimised
	quantum   int64   // visits of numbers in an epoch

	point      // with its derivatives
	curvatures // of columns
}

// point is the current point, with the derivatives of the loss there.
type point struct {
	w, d, g    []float64 // d+1 each: weights, step, gradient
	trial      []float64 // d+1: scratch, other weights
	prediction []float64 // n: X w + b
	move       []float64 // n: X d
	r, h, a    []float64 // n
	value      float64   // P(w)
	gap        float64   // about, relative; +Inf: not known
}

// curvatures bounds second derivatives along columns.
type curvatures struct {
	bound []float64 // d+1: an upper bound of any curvature
	flat  float64   // share of bound that a flat column gets
	cut   bool      // steps were cut since flat was least
	still int       // steps since P fell by more than rounding
}

// Epoch makes a step of Newton's method, or a part of a step that takes long.
func (s *cd) Epoch() {
	if s.over.Reached() || !s.descent.open && !s.begin() {
		return
	}
	if s.descend() {
		s.descent.open = false
		s.search()
		s.differentiate()
	}
}

// begin makes the model at w, unless w is optimal.
func (s *cd) begin() bool {
	worst := s.choose()
	if worst == 0 {
		return false
	}
	s.tolerance = min(s.tolerance, 0.1*worst)
	clear(s.d)
	s.model.open(s)
	s.descent = descent{open: true, next: 3, rest: 4, forming: s.model.forming(s.use, mostForming*s.quantum), enough: s.quantum}
	return true
}

// Report holds the relative gap at w, and whether it can be proved.
func (s *cd) Report() solver.Report {
	s.checkEnd()
	return solver.Report{Gap: s.gap, Exact: true, End: s.end}
}

// differentiate sets a, r, h and the gradient of the losses at w, and estimates the gap
// of w and a, which the certificate scales into the box.
func (s *cd) differentiate() {
	n, d := len(s.a), s.p.Penalised()
	parallel.Blocks(n, parts.BlockRows, s.p.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			p, y, scale := s.prediction[i], s.p.Y[i], s.p.S[i]/s.p.N
			s.a[i] = s.loss.Derivative(p, y)
			s.r[i] = scale * s.a[i]
			s.h[i] = scale * s.loss.Curvature(p, y)
		}
	})
	parallel.Blocks(len(s.g), 256, s.p.Threads, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			s.g[j] = s.column(j).Dot(s.r)
		}
	})
	u := s.d[:d]
	for j := range u {
		u[j] = -s.g[j] / s.p.Lambda
	}
	scale, value := s.p.Penalty.Conjugate(u)
	sum, _ := parts.SumRows(s.p, func(lo, hi int) (sum, _ float64) {
		dual := s.move[lo:hi]
		for k := range dual {
			dual[k] = scale * s.a[lo+k]
		}
		loss.ConjugateTo(s.loss, dual, dual, s.p.Y[lo:hi])
		for k, x := range dual {
			sum += float64(s.p.S[lo+k] * x)
		}
		return sum, 0
	})
	s.gap = problem.Relative(s.value, -sum/s.p.N-float64(s.p.Lambda*value), s.p.Zero())
}

// column returns a column of the data, or that of the bias.
func (s *cd) column(j int) matrix.Vector {
	if j == len(s.w)-1 {
		return matrix.Vector{Value: s.ones}
	}
	c := s.columns.Row(j)
	if len(c.Value) == len(s.r) {
		c.Index = nil
	}
	return c
}

// curvature returns sum_i h_i x_ij^2.
func (s *cd) curvature(j int, h []float64) (sum float64) {
	c := s.column(j)
	for k, x := range c.Value {
		sum += float64(h[c.Column(k)] * float64(float64(x)*float64(x)))
	}
	return sum
}

// Point returns the weights and the derivatives there.
func (s *cd) Point() problem.Point {
	s.predict() // without the rounding errors of all steps
	for i, y := range s.p.Y {
		s.a[i] = s.loss.Derivative(s.prediction[i], y)
	}
	return problem.Point{W: s.w, A: s.a}
}
