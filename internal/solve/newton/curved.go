package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// curved is Newton's method for curved losses (semismooth where the second
// derivative jumps: Mangasarian's finite Newton method, 2002).
//
//	Symbols   a_i = l_i'(p_i), c_i = s_i l_i''(p_i)/N
//	Epoch     1 g = lambda w + (1/N) X^T(s.a)
//	          2 H = lambda I + X^T diag(c) X, d = -H^-1 g; H is kept while it serves,
//	            as it is if it is cheap, else to scale conjugate gradients
//	          3 w + t d, t nearly the minimum along d; predictions are
//	            p + t X d, so looking for it does not touch X
//	Start     with many rows at the solution of a sample, start.go
//	Returned  w and a, which is dual feasible but for rounding once g = 0
//
// With many columns conjugate gradients find d (truncated.go). Squared loss takes
// one epoch. The search looks at slopes only: near the
// optimum differences of P drown in rounding long before its slope does.
type curved struct {
	p    *problem.Linear
	loss loss.Curved
	over parts.Limit

	hessian   *hessian.Matrix // nil with many columns
	conjugate *truncated      // nil with few: H costs a few products only
	cheap     bool            // each epoch has its own H

	w, g, d    []float64 // d+1: weights, gradient, step
	prediction []float64 // n: X w + b
	move       []float64 // n: X d,
	moved      bool      // if that is known
	middle     []float64 // d+1, see parts.RelativeGap
	current    bool      // g belongs to w and a
	a, v, c    []float64 // n: slopes, s a/N, curvatures

	drop   float64 // g^T H^-1 g of the last epoch; 0: there is no factor
	length float64 // t of the last epoch
	gap    float64 // of the last estimate, relative; 0: none since the last epoch

	least float64 // slope along a step so far
	stuck int     // epochs since
}

func newCurved(p *problem.Linear, l loss.Curved, from *problem.Point) *curved {
	n, d := p.Dims()
	s := &curved{p: p, loss: l, w: startingWeights(p, from), g: make([]float64, d+1), d: make([]float64, d+1),
		prediction: make([]float64, n), move: make([]float64, n), a: make([]float64, n), c: make([]float64, n), v: make([]float64, n)}
	s.prepare(from)
	s.middle = parts.MiddleOf(p)
	if vec.SquaredNorm64(s.w) != 0 {
		s.arrive(s.prediction, s.w, 0)
	} else {
		s.arrive(nil, nil, 0)
	}
	s.settle()
	return s
}

// gradient sets g, unless it is that of this point already.
func (s *curved) gradient() {
	if !s.current {
		parts.GradientTo(s.g, s.p, s.w, s.v)
		s.current = true
	}
}

// mostStuck is how many epochs may go by without a smaller slope along the step
// before the rest is taken for rounding: only with a gap below roundingGap, if the gap
// is known. Squared hinge on clusters far apart may need many short steps to find the
// few rows that are curved at the optimum, with larger slopes after smaller ones.
const (
	mostStuck   = 20
	roundingGap = 0.01
)

// Epoch makes one step of Newton's method.
func (s *curved) Epoch() {
	if s.stuck > mostStuck {
		return
	}
	s.gradient()
	s.direction()
	s.current = false
	s.search()
	s.gap = 0
}

// search goes along d to where the slope is a tenth of what it was. With a matrix, for
// which epochs are cheap, half is enough after the whole step; conjugate gradients, whose
// first d is up to half as long as it should be, would take half as many epochs again. With
// a matrix the whole step is mostly taken, so g is made at its end together with the slope.
func (s *curved) search() {
	start := 0.0
	for j, d := range s.d {
		start -= float64(s.g[j] * d)
	}
	if s.least == 0 || start < s.least {
		s.least, s.stuck = start, 0
	}
	if s.gap < roundingGap {
		s.stuck++
	}
	if !(start > 0) { // the gradient is 0, or all rounding
		s.stuck = mostStuck + 1
		return
	}
	whole, try := 0.5, s.slope
	if s.hessian == nil {
		whole = 0.1
	}
	if !s.moved {
		try = func(t float64) (first, second float64) { return s.arrive(s.move, s.d, t) }
	}
	lo, hi, t, there := 0.0, math.Inf(1), 1.0, !s.moved
	for k := 0; ; k++ {
		first, second := try(t)
		if math.Abs(first) <= 0.1*start || k == 0 && math.Abs(first) <= whole*start || k > 60 || k == 60 && first <= 0 {
			break
		}
		try, there = s.slope, false
		if next := t - first/second; first <= 0 {
			lo, t = t, inside(next, t, hi)
		} else if hi = t; k == 60 { // the end: less than there is to gain, but down
			t = lo
		} else if t = inside(next, lo, hi); !(first <= 100*start) { // an exponential outgrows its tangents, or overflows
			t = lo + (hi-lo)/2
		}
	}
	s.length = t
	vec.Axpy64(s.w, t, s.d)
	vec.Axpy64(s.prediction, t, s.move)
	if there {
		s.settle()
	}
}

// inside returns t if it makes progress in the bracket from lo to hi, and else
// its middle; without an upper end, a t between twice and sixteen times lo.
func inside(t, lo, hi float64) float64 {
	switch {
	case math.IsInf(hi, 1) && t > 2*lo:
		return min(t, 16*lo)
	case math.IsInf(hi, 1):
		return 2 * lo
	case t > lo && t < hi:
		return t
	}
	return lo + (hi-lo)/2
}

// Point returns the weights, and the slopes there: from predictions made
// afresh, because a sum of many steps has collected their rounding errors, unless
// the gap is far above these.
func (s *curved) Point() problem.Point {
	if s.gap < fresh {
		s.p.Predict(s.prediction, s.w)
		s.slope(0)
		s.current, s.gap = false, 0
	}
	return problem.Point{W: s.w, A: s.a}
}

// fresh is the relative gap up to which predictions are made afresh, with a gradient of
// their own: two passes over the data.
const fresh = 1e-7
