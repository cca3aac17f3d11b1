package joint

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Choose returns the solver that should prove the relative gap first, and why. The rules use
// counts, never a clock: L-BFGS wins where single dual steps are short, which is where rows are
// long against lambda N, and where the penalty does not determine the weights.
func Choose(p problem.Problem, gap float64) (name, why string) {
	l, ok := p.(*problem.Joint)
	switch {
	case !ok:
		return "sdca", "the one for kernel machines of several classes under one loss"
	case penalty.IsMatrix(l.Penalty):
		return "accelerated", "the penalty is one of all weights together"
	case Interior{}.Accepts(p) == nil && interiorWins(l):
		return "interior-point", fmt.Sprintf("%d weights of all classes together, and short dual steps", l.Penalised())
	case math.IsInf(l.Loss.Smoothness(), 1):
		return "sdca", "the one for losses of several classes with corners"
	case l.Penalty.StrongConvexity() == 0:
		return "lbfgs", "the penalty does not determine the weights by itself"
	case cornered(l):
		return "sdca", "the penalty has a corner"
	case narrow(l):
		return "lbfgs", "rows are dense and features few"
	case shortness(l) <= mostShort:
		return "sdca", "dual steps are long"
	}
	_, d := l.X.Dims()
	if metricFits(l) {
		return "lbfgs", fmt.Sprintf("dual steps are short and a %d x %d matrix for each class is cheap", d, d)
	}
	return "lbfgs", "dual steps are short"
}

// interiorWins reports whether some twenty factors of a matrix of all classes take less time than
// the epochs of dual ascent, which grow with C |x|^2 = |x|^2/(lambda N): 10 weights and 300 rows take 5 ms, 350
// and 20,000 rows 10 s, where dual ascent takes 1 s at C |x|^2 = 4, and more than a minute at 400. The free bias
// of a class without rows has no optimum.
func interiorWins(p *problem.Joint) bool {
	for c := range uint32(p.Classes) {
		if p.Bias == problem.Free && !slices.Contains(p.Y, c) {
			return false
		}
	}
	_, size := p.Dims()
	work := float64(len(p.Y)) * float64(size) * float64(size)
	return work <= 1e7 || work <= 5e9 && p.MeanSquaredNorm() >= 20*p.Lambda*p.N
}

// narrow reports whether rows are so dense and features so few that a pass by products of matrices is cheaper than dual
// steps row by row, however long these are: 20,000 rows of 50 features take half the time, 10,000 of 784 that are
// a fifth full six times as long.
func narrow(p *problem.Joint) bool {
	n, d := p.X.Dims()
	return d <= 64 && 4*matrix.Nonzeros(p.X) > 3*int64(n)*int64(d)
}

// mostShort is how short dual steps may be for dual ascent to win.
const mostShort = 4

// shortness is the mean of L |x_i|^2/(lambda N l2): 3 means that one step moves dual variables by
// about a quarter of the way.
func shortness(p *problem.Joint) float64 {
	return p.Loss.Smoothness() * p.MeanSquaredNorm() / (p.Lambda * p.N * p.Penalty.StrongConvexity())
}

// cornered reports whether the penalty has a corner.
func cornered(p *problem.Joint) bool {
	l1, _, _ := penalty.Coefficients(p.Penalty)
	return l1 > 0
}
