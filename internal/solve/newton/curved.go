package newton

import (
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
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
//	Returned  w and a, which is dual feasible but for rounding once g = 0; or, after a whole step by an H of the
//	          point before, what the slopes are in the parabolas of that step, a + l'' X d: their gradient is 0,
//	          and they are off by the square of X d only, where g may be large against lambda
//
// With many columns conjugate gradients find d (truncated.go). Squared loss takes
// one epoch. The search looks at slopes only: near the
// optimum differences of P drown in rounding long before its slope does.
type curved struct {
	p    *problem.Linear
	loss loss.Curved
	over parts.Limit

	step
	hessian   *hessian.Matrix // nil with many columns
	conjugate *truncated      // nil with few: H costs a few products only
	cheap     bool            // each epoch has its own H
	epochs    int
	shared    bool // H is that of problems of other targets too

	w, g, d    []float64 // d+1: weights, gradient, step
	prediction []float64 // n: X w + b
	move       []float64 // n: X d,
	moved      bool      // if that is known
	middle     []float64 // d+1, see parts.RelativeGap
	current    bool      // g belongs to w and a
	a, v, c    []float64 // n: slopes, s a/N, curvatures

	gap float64 // of the last estimate, relative; 0: none since the last epoch

	least float64 // slope along a step so far
	stuck int     // epochs since
}

// step is what is known of the last step.
type step struct {
	drop   float64 // g^T H^-1 g where it began; 0: there is no factor
	length float64 // t

	own   bool // it is by the H of the point where it began
	whole bool // it was to the minimum of a parabola, and predictions are those of w

	model    []float64 // n: what a was foretold to be by the parabolas where it began
	modelled bool      // if that is known, and closer than a
}

// gradient sets g, unless it is that of this point already.
func (s *curved) gradient() {
	if !s.current {
		parts.GradientTo(s.g, s.p, s.w, s.v)
		s.current = true
	}
}
