// Package newton solves problems of linear predictors by second-order steps, which see all rows:
//
//	newton.go    what is accepted, which of the two it is, and an epoch of each
//	curved.go    Newton's method, for losses with a second derivative. Its direction is of a
//	             matrix or of conjugate gradients: direction.go, truncated.go; its length is
//	             found by slopes.go; start.go begins at the solution of a sample
//	interior.go  the interior-point method, for losses made of ramps: ramp.go. centre.go sets
//	             its first point, length.go where a step goes, and how far; columns.go is the
//	             corner of the penalty
//	working.go   that method on the rows that matter: sample.go, part.go, leave.go
//
// The matrix itself is in package internal/solve/hessian. Another second-order method is a file
// that registers its name, and a row in the table of internal/solve/linear. It imports solver and
// packages above that in the table of CONTRIBUTING.md.
package newton

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Newton solves the problem by second-order steps: for many more rows than
// columns, and where the condition number is too much for everything that
// moves one variable at a time (small lambda, correlated or unscaled columns).
//
//	Problem   minimise P(w,b) of package problem with the penalty l2, or with elastic-net
//	          where the loss has corners, as then has the penalty: columns.go
//	Curved    losses with a second derivative (squared, logistic, squared hinge
//	          ...): Newton's method on P with a line search, curved.go
//	Cornered  losses made of ramps (hinge, absolute, Huber, tube ...):
//	          a primal-dual interior-point method, interior.go, on the
//	          rows that are not far from their ramps, working.go
//	Bias      one more column of ones: with the penalty if a feature, without
//	          if free; sum_i s_i a_i = 0 is then the last equation, and holds as
//	          nearly as the others
//	Matrix    both solve (lambda I + (1/N) X^T diag(c) X) d = r once or twice an
//	          epoch: formed row by row (package hessian) and factored by
//	          Cholesky (lapack.Cholesky). With more than hessian.MostColumns columns, or
//	          where the matrix costs hundreds of passes over the data, conjugate
//	          gradients (truncated.go), for curved losses only; where it costs tens,
//	          these with the factor of an earlier epoch, and on dense rows these
//	          alone, as long as they take few products (direction.go)
//	Start     with many rows at the solution of a sample, which is always the same:
//	          start.go, sample.go
//	Cost      an epoch is O(sum of squared row lengths + d^3/3); memory O(n +
//	          d^2), at most eight partial matrices. 1 to 8 epochs for curved
//	          losses, 6 to 30 for cornered ones, most of them on few rows
//
// Rejected for losses with corners: the method of multipliers with a semismooth
// Newton method inside (Li, Sun, Toh 2018). Its matrix sees only the rows on
// the ramp; while these are fewer than the columns it is lambda I in the other
// directions, and the steps become short: four to seven times the epochs of the
// interior-point method. Smoothed hinge with a width that shrinks is as good to
// 1e-3, but has the same trouble with small lambda.
type Newton struct{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "newton", Facts: registry.Facts{Rate: "quadratic near the optimum", Memory: "two numbers a row", Source: "Keerthi, DeCoste 2005; Lin, Weng, Keerthi 2008"},
		Summary: "second-order steps: curved losses, others for up to 4096 features; penalty l2, for these also l1 and elastic-net",
		New:     func(*registry.Params) (solver.Solver, error) { return Newton{}, nil }})
}

// Accepts wants a loss whose shape is known and, if that has corners, few columns; the
// penalty l2, or for these elastic-net.
func (Newton) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	_, curved := l.Loss.(loss.Curved)
	_, cornered := l.Loss.(loss.Cornered)
	if !penalty.IsRidge(l.Penalty) && !(cornered && (parts.Elastic(l.Penalty) || isLasso(l.Penalty))) {
		return errors.New("solver newton needs the penalty l2, or l1 or elastic-net with a loss with corners such as hinge: its equations rely on it")
	}
	if !curved && !cornered {
		return fmt.Errorf("solver newton needs a loss that is curved or made of ramps, which %s does not say it is", loss.Name(l.Loss))
	}
	if _, d := l.Dims(); cornered && d > hessian.MostColumns {
		return fmt.Errorf("solver newton would need a %d x %d matrix for this loss: found %d features, expected at most %d; use sdca", d, d, d, hessian.MostColumns)
	}
	return nil
}

// Start begins at w = 0 with the best bias, or at the warm start. Conjugate gradients, a step
// of which may be a hundred passes over the data, ask for limits.
func (Newton) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	if isLasso(l.Penalty) {
		l = curvedLasso(l)
	}
	if c, ok := l.Loss.(loss.Cornered); ok {
		return newWorking(l, c, start.From, cmp.Or(start.Gap, solver.DefaultGap))
	}
	s := newCurved(l, l.Loss.(loss.Curved), start.From)
	s.over = start.Over
	return s
}

// isLasso reports whether p says that it is |w|_1.
func isLasso(p penalty.Penalty) bool {
	l1, l2, ok := penalty.Coefficients(p)
	return ok && l1 == 1 && l2 == 0
}

// curvedLasso returns the problem with 1e-10 |w|^2/2 beside |w|_1, which interior points need and
// which is far below any gap: the certificate is of the problem without.
func curvedLasso(p *problem.Linear) *problem.Linear {
	ratio := 1 - 1e-10
	q := *p
	q.Penalty, q.Lambda = penalty.ElasticNet{Ratio: ratio}, p.Lambda/ratio
	return &q
}

// startingWeights returns the weights of from, those that belong to its dual
// variables if it has no weights, or 0; with a bias that is good for losses with
// corners.
func startingWeights(p *problem.Linear, from *problem.Point) []float64 {
	n, d := p.Dims()
	w := make([]float64, d+1)
	switch {
	case from != nil && len(from.W) == d+1:
		copy(w, from.W)
		parts.Ground(w, p)
		return w
	case from != nil && len(from.A) == n:
		u, sum := parts.DualWeights(p, make([]float64, n), from.A)
		copy(w, u)
		if p.Bias == problem.Feature {
			w[d] = -sum / (p.Lambda * p.N)
		}
	}
	if _, cornered := p.Loss.(loss.Cornered); !cornered && !math.IsInf(p.Loss.Smoothness(), 1) {
		return w // one step of Newton's method finds the bias sooner than a search
	}
	if p.Bias == problem.Free {
		prediction := make([]float64, n)
		p.Predict(prediction, w)
		w[d] = p.BestBias(prediction, 0, 1e-2)
	}
	return w
}

func newWorking(p *problem.Linear, l loss.Cornered, from *problem.Point, goal float64) *working {
	n, _ := p.Dims()
	whole := p
	p, corner := parts.WithoutCorner(p)
	s := &working{p: p, whole: whole, corner: corner, goal: goal, loss: l, corners: newCorners(l), ramps: newRamps(l, 0), w: startingWeights(p, from), middle: parts.MiddleOf(p)}
	if from != nil && len(from.A) == n { // what the run is asked for before its first epoch
		s.row = slices.Clone(from.A)
	}
	if p.Zero() == 0 { // nothing is below 0: no w is better than 0, no slope than 0
		clear(s.w)
		s.row = make([]float64, n)
		s.done = true
		return s
	}
	if from == nil && n >= fewestRows && sampled(p, sampleRows(p)) {
		return s
	}
	s.begin()
	return s
}

// begin begins with all rows.
func (s *working) begin() {
	s.near, s.slopes = nil, 0
	s.inner = newInterior(s.p, s.loss, s.w, 0)
	s.inner.addColumns(s.corner)
	s.away, s.first = s.inner.away, s.inner.mean
}

// Epoch makes a step, or finds rows that are in its way.
func (s *working) Epoch() {
	if s.inner == nil && !s.done {
		s.sample()
	}
	if s.done || s.inner.mean <= s.inner.end {
		s.done = true
		return
	}
	target, t, part := s.inner.direction()
	var joining []uint32
	if s.near != nil {
		if s.row == nil {
			s.row = make([]float64, len(s.away))
		}
		s.p.Predict(s.row, s.inner.d)
		if worst, most := s.worst(); t*worst > nearly {
			if s.joined++; s.joined == mostJoins {
				s.begin()
				return
			}
			joining = s.met(nearly/t, most)
			if next := nearly / worst; next >= leastPart*t {
				t = next
			} else {
				t = 0
			}
		}
		vec.Axpy64(s.away, t, s.row)
	}
	s.inner.step(target, t, part)
	if joining != nil {
		s.join(joining, s.away)
	}
	if t > 0 && s.joined < mostJoins && len(s.inner.away) >= parts.BlockRows {
		s.leave()
	}
}

// sample starts from the solution of a sample, roughly.
func (s *working) sample() {
	t := newWorking(sample(s.whole, sampleRows(s.p)), s.loss, nil, s.goal)
	for range carefulAfter {
		t.Epoch()
		if t.done || t.inner.mean <= sampleEnd*t.first {
			break
		}
	}
	copy(s.w, t.w)
	s.first = t.first
	s.inner = interiorWith(t.inner.hessian, s.p, s.loss, s.w, warmStart*s.first)
	s.inner.addColumns(s.corner)
	s.away = s.inner.away
}

func newCurved(p *problem.Linear, l loss.Curved, from *problem.Point) *curved {
	n, d := p.Dims()
	s := &curved{p: p, loss: l, w: startingWeights(p, from), g: make([]float64, d+1), d: make([]float64, d+1),
		prediction: make([]float64, n), move: make([]float64, n), a: make([]float64, n), c: make([]float64, n), v: make([]float64, n)}
	s.prepare(from)
	if vec.SquaredNorm64(s.w) != 0 {
		s.arrive(s.prediction, s.w, 0, false)
	} else {
		s.arrive(nil, nil, 0, false)
	}
	s.settle()
	return s
}

// Epoch makes one step of Newton's method.
func (s *curved) Epoch() {
	if s.stuck > mostStuck {
		return
	}
	s.epochs++
	s.gradient()
	s.direction()
	s.current, s.modelled = false, false
	if s.whole = s.epochs == 1 && (s.shared || s.own && loss.IsQuadratic(s.loss)); s.whole { // to the minimum
		vec.Axpy64(s.w, 1, s.d)
		s.p.Predict(s.prediction, s.w)
		s.slope(0)
		return
	}
	s.search()
	s.gap = 0
}
