package linear

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Choose returns the solver that should prove the relative gap first, and why. The
// rules look at counts, never at a clock; they were measured on 60 sets, real, deformed
// and generated ones, with lambda = 100/n to 1/(100n).
//
// Newton's matrix costs the squares of the rows' lengths and the cube of the columns.
// Where that is little it wins, but for losses with corners on a rare class (of whose
// rows few matter, and dual ascent lets the others sleep) unless the gap or lambda is
// small.
//
// Where it is dear, it wins once single dual steps are short: see dearSteps. Elastic-net
// of a curved loss goes by columns by these rules, else by dual ascent.
func Choose(p *problem.Linear, gap float64) (name, why string) {
	n, d := p.Dims()
	time := matrixTime(p)
	cheap := n >= 4*d && time <= cheapTime
	switch p.Penalty.(type) {
	case penalty.L1:
		return "cd", "the penalty l1 is solved by columns"
	case penalty.L2:
	default:
		_, curved := p.Loss.(loss.Curved)
		if curved && (cheap || shortSteps(p, time)) {
			return "cd", "a curved loss, many more rows than features"
		}
		return "sdca", "for this penalty"
	}
	_, cornered := p.Loss.(loss.Cornered)
	switch {
	case cornered && d > mostColumns:
		return "sdca", fmt.Sprintf("%d features are too many for second-order steps", d)
	case cornered && n > mostRamps:
		return "sdca", "too many rows to keep the state of second-order steps for this loss"
	case cheap:
		if cornered && gap > 1e-4 && p.Lambda*p.N > 0.1 && rare(p) {
			return "sdca", "a loss with corners and a rare class, neither the gap nor lambda is small"
		}
		if cornered && denseEnough(p) && longSteps(time, shortness(p)) {
			return "sdca", "a loss with corners, large lambda: dual steps are long"
		}
		return "newton", "many more rows than features"
	case sparse(p) && suitsSmoothing(p):
		return "sdca", "hinge, small lambda: it begins with a smoothed one"
	case shortSteps(p, time):
		return "newton", "small lambda, more rows than features"
	}
	return "sdca", "second-order steps cost more than dual ascent here"
}

// cheapTime is how many passes over the data a matrix may cost to be worth it however
// long dual steps are.
const cheapTime = 16

// shortSteps reports whether single dual steps are so short, and rows so many, that
// Newton's method wins with a matrix that takes as long as time passes.
func shortSteps(p *problem.Linear, time float64) bool {
	return shortness(p) > dearSteps(p, time) && manyRows(p)
}

// dearSteps returns how short dual steps must be for Newton's method with a matrix that
// takes as long as time passes, or with conjugate gradients where rows are sparse. Losses
// with corners let most rows of classes sleep, which suits dual ascent, but none of
// numbers; squared hinge, which is flat beyond its corner, is between these and other
// curved losses.
func dearSteps(p *problem.Linear, time float64) float64 {
	_, cornered := p.Loss.(loss.Cornered)
	_, flat := p.Loss.(loss.SquaredHinge)
	switch {
	case cornered && forClasses(p):
		return 2 * time
	case cornered && denseEnough(p):
		return time / 128
	case cornered: // the factor is all of it
		return time / 32
	case sparse(p) && flat:
		return 2.2
	case sparse(p):
		return 1
	}
	return max(3, time/4)
}

// longSteps reports whether single dual steps are so long that dual ascent wins, for a
// loss with corners on dense rows, though a matrix is cheap: how short they must be for
// Newton's method goes with what an epoch of that costs. Curved losses take few epochs, and
// a matrix of one or two passes costs nearly nothing.
func longSteps(time, short float64) bool { return time > 2 && short < 0.4*time }

// shortness returns the mean of L |x_i|^2/(lambda N), where the loss is curved by L at
// most, 1 for kinks: 3 means that one step moves a dual variable by a quarter of the way
// at most.
func shortness(p *problem.Linear) float64 {
	curved := p.Loss.Smoothness()
	if math.IsInf(curved, 1) {
		curved = 1
	}
	return curved * p.MeanSquaredNorm() / (p.Lambda * p.N)
}

// manyRows reports whether rows are so many that they get into each other's way: more
// than the columns, or four times as many if they are of classes, which fewer rows let
// one tell apart by chance. With fewer dual ascent wins at any lambda; but logistic loss has
// no end of telling apart, and conjugate gradients follow it on sparse rows. Columns that
// hardly count are left out: those that few rows use, for curved losses, and of dense rows
// those of small numbers.
func manyRows(p *problem.Linear) bool {
	n, d := p.Dims()
	_, cornered := p.Loss.(loss.Cornered)
	_, logistic := p.Loss.(loss.Logistic)
	switch {
	case n >= 4*d || n >= d && (!forClasses(p) || logistic && sparse(p)):
		return true
	case sparse(p):
		return !cornered && 2*n >= d && n >= 3*commonColumns(p)
	}
	return float64(n) >= 4*evenColumns(p)
}

// evenColumns returns the effective number of columns (participation ratio), (sum_j c_j)^2 /
// sum_j c_j^2 of their squares c_j over some rows: d where all are of one size.
func evenColumns(p *problem.Linear) float64 {
	n, d := p.Dims()
	square, total, squares := make([]float64, d), 0.0, 0.0
	for i := 0; i < n; i += n/512 + 1 {
		row := p.X.Row(i)
		for k, v := range row.Value {
			square[row.Column(k)] += float64(float64(v) * float64(v))
		}
	}
	for _, c := range square {
		total += c
		squares += float64(c * c)
	}
	if squares == 0 {
		return float64(d)
	}
	return total / squares * total
}

// commonColumns returns how many columns every fourth row uses, about those that more than
// a few rows do: of fields with ever rarer values most columns are of a row or two.
func commonColumns(p *problem.Linear) (count int) {
	n, d := p.Dims()
	used := make([]bool, d)
	for i := 0; i < n; i += 4 {
		row := p.X.Row(i)
		if row.Index == nil {
			return d
		}
		for _, j := range row.Index {
			if !used[j] {
				used[j] = true
				count++
			}
		}
	}
	return count
}

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

// matrixTime is about how many passes over the data a matrix takes as long as: where
// products of matrices do the work, which is the factor and with dense rows all of it, a
// number takes a quarter to a sixteenth of the time that it takes elsewhere.
func matrixTime(p *problem.Linear) float64 {
	n, d := p.Dims()
	form, factor := matrixWork(n, d, p.Nonzeros)
	if denseEnough(p) {
		return (form + factor) / 16
	}
	return form + factor/4
}

// matrixPasses is about how many passes over the data forming and factoring
// Newton's matrix cost, number by number.
func matrixPasses(n, d int, nonzeros int64) float64 {
	form, factor := matrixWork(n, d, nonzeros)
	return form + factor
}

// matrixWork returns the two parts of matrixPasses.
func matrixWork(n, d int, nonzeros int64) (form, factor float64) {
	size := max(float64(nonzeros), 1)
	return size / (2 * float64(n)), float64(d) * float64(d) * float64(d) / (6 * size)
}
