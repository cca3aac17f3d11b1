package linear

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/column"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Choose returns the solver that should prove the relative gap first, and why. The rules use
// counts, never a clock; the ablation test measures them on real, deformed and generated
// sets, with lambda = 100/n to 1/(100n).
func Choose(p *problem.Linear, gap float64) (name, why string) {
	if name := chooseDouble(p); name != "" {
		return name, "it reads rows of double precision, and there are few features"
	}
	if _, ok := p.Penalty.(penalty.Nonnegative); ok || (dual.SDCA{}).Accepts(p) != nil {
		return chooseWeak(p)
	}
	if hessian.Serves(p) {
		return "newton", "one matrix serves all targets"
	}
	n, d := p.Dims()
	_, cornered := p.Loss.(loss.Cornered)
	second, refused := "newton", newton.Newton{}.Accepts(p)
	if refused != nil {
		second, refused = "cd", column.CD{}.Accepts(p)
	}
	switch unbounded := !cornered && math.IsInf(p.Loss.Smoothness(), 1); {
	case unbounded && refused == nil:
		return second, "dual steps are short where the curvature of the loss has no bound"
	case unbounded && d <= hessian.MostColumns:
		return "admm", "dual steps are short where the curvature of the loss has no bound"
	case cornered && d > hessian.MostColumns:
		return "sdca", fmt.Sprintf("newton would need a %d x %d matrix for this loss", d, d)
	case refused != nil:
		return "sdca", "second-order steps take no such loss or penalty"
	case cornered && n > mostRamps:
		return "sdca", "too many rows to keep the state of second-order steps for this loss"
	}
	if cornered && fewRows(p) {
		return "gram", "few rows: their inner products serve all classes"
	}
	yes, why := secondOrder(p, gap)
	if !yes {
		second = "sdca"
	}
	return second, why
}

// ReadsDouble reports whether the solver of that name sees rows of double precision as they are, and so proves any
// gap of them: it reads many rows at a time, none by itself.
func ReadsDouble(p *problem.Linear, name string) bool {
	_, cornered := p.Loss.(loss.Cornered)
	return name == "newton" && !cornered || name == "covariance"
}

// chooseDouble returns a solver that reads rows of double precision where they are so and it is cheap, as a small matrix
// is whatever the rows are; "": none. Where lambda alone keeps the matrix from being singular it must not be tiny.
func chooseDouble(p *problem.Linear) string {
	n, d := p.Dims()
	if !matrix.IsDouble(p.X) || n < d && p.MeanSquaredNorm() > 1e15*p.Lambda || d > hessian.MostColumns/16 && hessian.Time(p) > cheapTime {
		return ""
	}
	for _, s := range []struct {
		name string
		solver.Solver
	}{{"newton", newton.Newton{}}, {"covariance", column.Covariance{}}} {
		if s.Accepts(p) == nil && ReadsDouble(p, s.name) {
			return s.name
		}
	}
	return ""
}

// chooseWeak is Choose for penalties that do not determine each weight by itself, and for those that bound weights.
func chooseWeak(p *problem.Linear) (name, why string) {
	_, gradient := p.Penalty.(penalty.Differentiable)
	if (Root{}).Accepts(p) == nil {
		return "root", "the C whose model has that norm"
	}
	n, d := p.Dims()
	switch {
	case column.Covariance{}.Accepts(p) == nil && n >= 10*d && hessian.Time(p) <= cheapTime:
		return "covariance", fmt.Sprintf("weights become 0, and there are many rows for each feature and a cheap %d x %d matrix", d, d)
	case column.CD{}.Accepts(p) == nil:
		return "cd", "weights that become 0 are found by columns"
	case dual.SDCA{}.Accepts(p) == nil:
		return "sdca", "no method of columns takes the loss"
	case newton.Newton{}.Accepts(p) == nil:
		return "newton", "a loss with corners and the penalty l1 are a linear program for interior points"
	case gradient && !math.IsInf(p.Loss.Smoothness(), 1):
		return "lbfgs", "loss and penalty have gradients, and the penalty is no sum over weights"
	}
	if !math.IsInf(p.Loss.Smoothness(), 1) {
		return "accelerated", "the penalty is no sum over weights, and the loss is smooth"
	}
	return "admm", "no other solver takes this loss with this penalty"
}

// secondOrder reports whether second-order steps win, and why. A matrix costs the squares of
// the rows' lengths and the cube of the columns; where that is little they win, but for
// losses with corners where dual steps are long, or on a rare class (of whose rows few
// matter, and dual ascent lets the others sleep) unless the gap or lambda is small. Where it
// is expensive, they win once single dual steps are short. Steps of few sparse rows
// hardly influence each other. The corner of a penalty doubles the work of dual steps at least.
func secondOrder(p *problem.Linear, gap float64) (yes bool, why string) {
	n, d := p.Dims()
	time := hessian.Time(p)
	_, cornered := p.Loss.(loss.Cornered)
	l1, _, _ := penalty.Coefficients(p.Penalty)
	corner := l1 > 0
	filled := 4*p.Nonzeros > int64(n)*int64(d) // more than a quarter of all numbers
	switch {
	case corner && filled:
		return true, "the penalty has a corner and rows are dense"
	case n < d:
		return false, "fewer rows than features"
	case n < 4*d && !filled:
		return false, "fewer than four rows for each feature"
	case corner && cornered:
		return true, "the loss and the penalty have corners"
	case time > cheapTime && parts.Shortness(p) <= shortSteps(p, time):
		return false, fmt.Sprintf("a %d x %d matrix is expensive and dual steps are long", d, d)
	case time > cheapTime:
		return true, "dual steps are short"
	case cornered && gap > 1e-4 && p.Lambda*p.N > 0.1 && rare(p):
		return false, "one class is rare, so that few rows matter"
	case cornered && hessian.Dense(p) && longSteps(time, parts.Shortness(p)):
		return false, "dual steps are long"
	}
	return true, fmt.Sprintf("many rows for each feature and a cheap %d x %d matrix", d, d)
}

// fewRows reports whether the inner products of all rows, computed once, are cheaper than matrices of
// second-order steps, of which each class takes some twenty: the rows are dense, and at most four
// times as many as the columns. One coefficient at its bound must not change a response by more
// than 1e7 times the loss's unit, as steps of pairs then lose their digits.
func fewRows(p *problem.Linear) bool {
	n, d := p.Dims()
	return p.MeanSquaredNorm() <= 1e7*p.Lambda*float64(n) && n <= 4096 && n <= 4*d && 4*p.Nonzeros > int64(n)*int64(d) && hessian.Time(p) > cheapTime && (Gram{}).Accepts(p) == nil
}

// cheapTime is how many passes over the data a matrix may cost to be worth it however
// long dual steps are.
const cheapTime = 16

// shortSteps returns how short dual steps must be for second-order steps with a matrix that
// takes as long as time passes, or with conjugate gradients where rows are sparse. Losses
// with corners let most rows of classes sleep, which suits dual ascent, but none of
// numbers.
func shortSteps(p *problem.Linear, time float64) float64 {
	_, cornered := p.Loss.(loss.Cornered)
	switch {
	case cornered && forClasses(p):
		return 2 * time
	case cornered: // the factor is all of it
		return time / 32
	case sparse(p):
		return 2
	}
	return time / 4
}

// longSteps reports whether single dual steps are so long that dual ascent wins, for a
// loss with corners on dense rows, though a matrix is cheap: how short they must be for
// Newton's method goes with what an epoch of that costs. Curved losses take few epochs, and
// a matrix of one or two passes costs nearly nothing.
func longSteps(time, short float64) bool { return time > 2 && short < 0.4*time }

// forClasses reports whether targets are classes, not numbers.
func forClasses(p *problem.Linear) bool {
	_, margin := p.Loss.(loss.Margin)
	return margin
}

// sparse reports whether rows use an eighth of the columns at most.
func sparse(p *problem.Linear) bool {
	n, d := p.Dims()
	return p.Nonzeros <= int64(n)*int64(d)/8
}

// rare reports whether one of two classes has less than a sixteenth of the rows, by
// weight: a class that is rare, but has weights that balance it, is not.
func rare(p *problem.Linear) bool {
	if !forClasses(p) {
		return false
	}
	positive := 0.0
	for i, y := range p.Y {
		if y > 0 {
			positive += p.S[i]
		}
	}
	return 16*min(positive, p.N-positive) < p.N
}

// mostRamps bounds the rows of an interior-point method, which keeps up to 110
// bytes for each, besides a copy of two fifths of the rows: 4 GB.
const mostRamps = 1 << 25
