package column

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Covariance is coordinate descent on the second moment of the columns, for a loss whose curvature is the same
// everywhere: after one pass over the rows a step costs as much as there are columns (covariance updates; Friedman,
// Hastie, Tibshirani 2010, section 2.2).
//
//	Problem   minimise P(w,b) with the squared loss and the penalty l1 or elastic-net, many rows for each column
//	Symbols   H = X^T S X l''/N with the column of the bias; g the gradient of the losses at w, of all rows
//	Epoch     g by two passes over the rows; then passes over the columns that minimise the objective by H,
//	          which is exact but for rounding, and Newton steps over the columns in use that change no sign
//	Returned  w, and the slopes at its predictions
//	Cost      of an epoch two passes; of H the rows times the square of the columns, once
//	Memory    8 d^2 bytes
type Covariance struct{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "covariance", Facts: registry.Facts{Rate: "exact in few epochs", Memory: "the square of the columns", Source: "Friedman, Hastie, Tibshirani 2010"},
		Summary: "coordinate descent on the second moment of the columns: squared loss, penalty l1 or elastic-net, many rows",
		New:     func(*registry.Params) (solver.Solver, error) { return Covariance{}, nil }})
}

// Accepts wants the squared loss, a penalty with a corner, and as many columns as have a matrix.
func (Covariance) Accepts(p problem.Problem) error {
	l, err := cornered(p, "covariance", "newton")
	if err != nil {
		return err
	}
	if !loss.IsQuadratic(l.Loss) {
		return errors.New("solver covariance needs the squared loss, whose curvature is the same everywhere")
	}
	if _, d := l.Dims(); d > hessian.MostColumns {
		return fmt.Errorf("solver covariance forms a matrix of the columns: found %d, expected at most %d", d, hessian.MostColumns)
	}
	return nil
}

// Start begins at w = 0, or at the weights of the warm start.
func (Covariance) Start(p problem.Problem, start solver.Start) solver.State {
	l := p.(*problem.Linear)
	n, d := l.Dims()
	corner, mu, nonnegative, _ := penalty.Corners(l.Penalty)
	s := &covariance{p: l, nonnegative: nonnegative, over: start.Over, corner: l.Lambda * corner, mu: l.Lambda * mu, size: d, w: make([]float64, d+1), g: make([]float64, d+1), prediction: make([]float64, n), a: make([]float64, n)}
	if l.Bias != problem.None {
		s.size++
	}
	if start.From != nil {
		s.w = begin(l, start.From)
	}
	return s
}

type covariance struct {
	p             *problem.Linear
	over          parts.Limit
	corner, mu    float64   // of the penalty, times lambda
	nonnegative   bool      // as weights must be
	size          int       // columns, with that of the bias
	h             []float64 // size*size, symmetric; nil: not formed yet
	w, g          []float64 // weights, and the gradient of the losses there
	prediction, a []float64 // of the rows
	least         float64   // the smallest of the largest violations so far
	still         int       // epochs since
	end           error

	factor lapack.Cholesky
}

// form sets h.
func (s *covariance) form() {
	flat := *s.p
	flat.Lambda = 0
	weights := make([]float64, len(s.a))
	curvature := flat.Loss.Smoothness()
	for i, weight := range flat.S {
		weights[i] = weight * curvature / flat.N
	}
	s.h = make([]float64, s.size*s.size)
	hessian.New(&flat, s.h).Form(&flat, weights)
	for a := range s.size {
		for b := range a {
			s.h[b*s.size+a] = s.h[a*s.size+b]
		}
	}
}

// Epoch is one gradient of all rows, and the minimum by h.
func (s *covariance) Epoch() {
	if s.over.Reached() {
		return
	}
	if s.h == nil {
		s.form()
	}
	s.differentiate()
	if s.over.Reached() || s.end != nil {
		return
	}
	worst := 0.0
	for j := range s.size {
		worst = max(worst, s.violation(j))
	}
	if s.still++; s.least == 0 || worst < s.least/2 {
		s.least, s.still = worst, 0
	}
	before := slices.Clone(s.w)
	if s.descend(1e-12 * worst); slices.Equal(s.w, before) || s.still > mostStill {
		s.end = errStill
	}
}

// errStill says that steps by h change no weight any more, or change the last digits again and again.
var errStill = errors.New("solver covariance: roundings of the second moment hide what is left to gain; cd works on the rows")

// slopes sets a to those of the losses at w.
func (s *covariance) slopes() {
	if clear(s.prediction); vec.SquaredNorm64(s.w) != 0 {
		s.p.Predict(s.prediction, s.w)
	}
	for i, y := range s.p.Y {
		s.a[i] = s.p.Loss.Derivative(s.prediction[i], y)
	}
}

// differentiate sets g of all rows.
func (s *covariance) differentiate() {
	s.slopes()
	for i, a := range s.a {
		s.prediction[i] = s.p.S[i] * a / s.p.N
	}
	s.p.CombineTo(s.g, s.prediction)
}

// penalised reports whether column j has a penalty.
func (s *covariance) penalised(j int) bool { return j < s.p.Penalised() }

// violation is by how much the slope in column j is not that of a minimum.
func (s *covariance) violation(j int) float64 {
	g, w := s.g[j], s.w[j]
	switch {
	case !s.penalised(j):
		return math.Abs(g)
	case w == 0 && s.nonnegative:
		return max(0, -g-s.corner)
	case w == 0:
		return max(0, math.Abs(g)-s.corner)
	}
	return math.Abs(g + float64(s.mu*w) + math.Copysign(s.corner, w))
}

// descend minimises by h until no violation is above enough, and keeps g up to date: passes over all columns, and over those in use between.
func (s *covariance) descend(enough float64) {
	all := make([]int, s.size)
	for j := range all {
		all[j] = j
	}
	for range mostRounds {
		if !(s.pass(all) > enough) || s.over.Reached() {
			return
		}
		used := s.used()
		for range 10 {
			if !(s.pass(used) > enough) {
				break
			}
		}
		s.newton(s.used()) // weights may have become 0 since
	}
}

// used are the columns with a weight, and that of a free bias.
func (s *covariance) used() (columns []int) {
	for j := range s.size {
		if s.w[j] != 0 || !s.penalised(j) {
			columns = append(columns, j)
		}
	}
	return columns
}

// mostRounds bounds the rounds of an epoch; what is left the next one has.
const mostRounds = 100

// pass takes the best step in each of some columns, and returns the largest violation that it found.
func (s *covariance) pass(columns []int) (worst float64) {
	for _, j := range columns {
		worst = max(worst, s.violation(j))
		square, w := s.h[j*s.size+j], s.w[j]
		if square <= 0 {
			continue
		}
		next := w - s.g[j]/square
		if s.penalised(j) {
			if next = vec.Shrink(float64(square*w)-s.g[j], s.corner) / (square + s.mu); s.nonnegative {
				next = max(0, next)
			}
		}
		if next != w {
			s.w[j] = next
			vec.Axpy64(s.g[:s.size], next-w, s.h[j*s.size:(j+1)*s.size])
		}
	}
	return worst
}

// newton goes to the minimum over the columns in use, as far as no weight changes its sign.
func (s *covariance) newton(used []int) {
	n := len(used)
	lower, x := make([]float64, n*n), make([]float64, n)
	for a, j := range used {
		for b, other := range used[:a+1] {
			lower[a*n+b] = s.h[j*s.size+other]
		}
		x[a] = -s.g[j]
		if s.penalised(j) {
			lower[a*n+a] += s.mu
			x[a] -= float64(s.mu*s.w[j]) + math.Copysign(s.corner, s.w[j])
		}
		lower[a*n+a] += float64(1e-13*lower[a*n+a]) + 1e-300
	}
	s.factor.Decompose(lower, n, s.p.Threads)
	s.factor.Solve(x, x)
	first := 1.0
	for a, j := range used {
		if w := s.w[j]; s.penalised(j) && float64(w*(w+x[a])) < 0 {
			first = min(first, -w/x[a])
		}
	}
	for a, j := range used {
		step := float64(first * x[a])
		if w := s.w[j]; first < 1 && s.penalised(j) && (-w/x[a] == first || float64(w*(w+step)) < 0) {
			step = -w // the first that would change its sign is 0, and so are those that roundings let change it
		}
		s.w[j] += step
		vec.Axpy64(s.g[:s.size], step, s.h[j*s.size:(j+1)*s.size])
	}
}

// Report says when nothing more is to be gained, and what the violations that are left cost, of the objective at 0.
func (s *covariance) Report() solver.Report {
	r := solver.Report{Gap: math.NaN(), End: s.end}
	if s.h != nil && s.end == nil {
		r.Gap = 1e-16
		for j := range s.size {
			r.Gap += s.violation(j) * math.Abs(s.w[j]) / s.p.Zero()
		}
	}
	return r
}

// Point returns the weights and the slopes there.
func (s *covariance) Point() problem.Point {
	s.slopes()
	return problem.Point{W: s.w, A: s.a}
}
