package calibration

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Temperature returns the number T by which scores of several classes are divided before softmax
// makes probabilities of them.
//
//	Problem     min over b > 0 of F = sum_i w_i (log sum_k exp(b s_ik) - b sum_k t_ik s_ik), T = 1/b
//	Symbols     s scores by row and class, w weights of rows; t is 1 for the class of a row, of which
//	            1/(N+2) is spread over all classes, N being the sum of weights: so F is least at a
//	            number even where every row scores its class highest
//	Update      F is convex: a Newton step of b, or the middle where that leaves the interval between
//	            a b with a negative slope and one with a positive slope
//	Returned    T once the interval is 1e-12 of b, or after 100 steps; the largest T where no b > 0 is
//	            better than 0, when scores say nothing or the contrary; 1 where all scores are equal
//	Cost        an exponential a class, row and step; some ten steps
//	Source      Guo, Pleiss, Sun, Weinberger, On Calibration of Modern Neural Networks, 2017
//
// weight may be nil: each row counts once.
func Temperature(scores [][]float64, class []int, weight []float64) float64 {
	f := scaledLoss{scores, class, weight, 0, 0}
	spread := 0.0
	for i, s := range scores {
		w := weightOf(weight, i)
		f.all += w
		spread += float64(w * (slices.Max(s) - slices.Min(s)))
	}
	if !(spread > 0) || math.IsInf(spread, 0) {
		return 1
	}
	f.smooth = 1 / (f.all + 2)
	unit := f.all / spread
	const least = 1e-6
	lo, hi := least*unit, unit
	if slope, _ := f.slope(lo); slope >= 0 {
		return 1 / lo
	}
	for slope, _ := f.slope(hi); slope < 0 && hi < math.MaxFloat64/4; slope, _ = f.slope(hi) {
		lo, hi = hi, 2*hi
	}
	b := lo
	for range mostSteps {
		slope, curve := f.slope(b)
		if slope < 0 {
			lo = b
		} else {
			hi = b
		}
		next := b - slope/curve
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-b) <= 1e-12*b || next <= lo || next >= hi {
			return 1 / next
		}
		b = next
	}
	return 1 / b
}

// scaledLoss is the problem: the log loss as a function of b.
type scaledLoss struct {
	scores      [][]float64
	class       []int
	weight      []float64
	all, smooth float64
}

// slope returns the first and second derivative of F.
func (f *scaledLoss) slope(b float64) (slope, curve float64) {
	var first, second vec.Sum
	for i, s := range f.scores {
		highest, total, mean, square, plain := slices.Max(s), 0.0, 0.0, 0.0, 0.0
		for _, x := range s {
			x -= highest
			e := elementary.Exp(b * x)
			total, mean, square, plain = total+e, mean+float64(e*x), square+float64(e*float64(x*x)), plain+x
		}
		mean, square = mean/total, square/total
		target := float64((1-f.smooth)*(s[f.class[i]]-highest)) + float64(f.smooth*(plain/float64(len(s))))
		w := weightOf(f.weight, i)
		first.Add(float64(w * (mean - target)))
		second.Add(float64(w * max(0, square-float64(mean*mean))))
	}
	return first.Value(), second.Value()
}
