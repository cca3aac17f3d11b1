package stochastic

import (
	"slices"

	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// weight is that of the next iterate in the average. A suffix begins anew whenever the rows taken
// have doubled.
func (s *state) weight() float64 {
	switch s.output {
	case "last", "random":
		return 0
	case "average":
		return 1
	case "suffix":
		if s.taken >= s.suffix {
			s.iterate.Forget()
			s.averaged, s.sumB = 0, 0
			s.suffix = max(2*s.suffix, float64(len(s.p.Y)))
		}
		return 1
	}
	if s.finite() {
		return 0
	}
	return s.t
}

// Point returns the iterate that is asked for, with the best bias where that is free; and as
// dual variables the means of the slopes used on each row, or those at the point, whichever
// bound is better.
func (s *state) Point() problem.Point {
	var candidates [][]float64
	if slices.Contains([]string{"best", "last"}, s.output) || s.t == 0 {
		candidates = append(candidates, s.point(s.iterate.Last, s.b))
	}
	if s.output == "random" && s.t > 0 {
		candidates = append(candidates, s.point(func(w []float64) { copy(w, s.reservoir) }, s.drawnB))
	}
	if s.averages() && !s.finite() && s.averaged > 0 && !s.sparse() {
		candidates = append(candidates, s.point(s.iterate.Average, s.sumB/s.averaged))
	}
	if candidates == nil { // no iterate has a weight yet
		candidates = append(candidates, s.point(s.iterate.Last, s.b))
	}
	best := candidates[0]
	if len(candidates) > 1 {
		first, _ := s.p.Primal(best)
		if second, _ := s.p.Primal(candidates[1]); second < first {
			best = candidates[1]
		}
	}
	return problem.Point{W: best, A: s.dual(best)}
}

// sparse reports whether averages are not kept, as the penalty's zeros would be lost.
func (s *state) sparse() bool {
	l1, _, _ := penalty.Coefficients(s.p.Penalty)
	return l1 > 0 && s.geometry == "euclidean"
}

// point returns the weights that get writes, with the best free bias.
func (s *state) point(get func([]float64), b float64) []float64 {
	w := make([]float64, len(s.last))
	get(w)
	d := len(w) - 1
	if s.p.Bias == problem.Free {
		w[d] = 0
		s.p.Predict(s.prediction, w)
		w[d] = s.p.BestBias(s.prediction, b, 1e-12)
	}
	return w
}

// dual returns the better of two dual points for w.
func (s *state) dual(w []float64) []float64 {
	there := make([]float64, len(s.p.Y))
	s.p.Predict(s.prediction, w)
	for i, y := range s.p.Y {
		there[i] = s.p.Loss.Derivative(s.prediction[i], y)
	}
	if s.duals.sum == nil && s.duals.start == nil {
		return there
	}
	means := slices.Clone(there)
	copy(means, s.duals.start)
	for i, weight := range s.duals.weights {
		if weight > 0 {
			means[i] = s.duals.sum[i] / weight
		}
	}
	d1, e1 := s.p.Dual(means)
	d2, e2 := s.p.Dual(there)
	if d2-e2 > d1-e1 {
		return there
	}
	return means
}
