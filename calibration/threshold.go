package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/vec"
)

// Threshold returns the t at which the mean cost of rows is least: those that score above t are
// taken for positive, costs are of a row of each class that is taken for the other, the negative
// class first. t lies in the middle between two scores, or beyond all; of equal costs the one
// next to 0 is taken. weight may be nil: each row counts once. Sorting takes O(n log n).
func Threshold(scores []float64, positive []bool, weight []float64, costs [2]float64) (t, cost float64) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	of := func(i int, class bool) float64 { // the cost of row i where it is taken for class
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		switch {
		case positive[i] == class:
			return 0
		case positive[i]:
			return float64(w * costs[1])
		}
		return float64(w * costs[0])
	}
	var sum, all vec.Sum
	for i := range scores {
		sum.Add(of(i, true)) // all are taken for positive
		all.Add(1)
		if weight != nil {
			all.Add(weight[i] - 1)
		}
	}
	best := math.Inf(1)
	consider := func(at float64) {
		if c := sum.Value(); c < best || c == best && math.Abs(at) < math.Abs(t) {
			best, t = c, at
		}
	}
	for k := 0; k <= len(order); {
		switch {
		case len(order) == 0:
		case k == 0:
			consider(min(0, math.Nextafter(scores[order[0]], math.Inf(-1))))
		case k == len(order):
			consider(max(0, scores[order[k-1]]))
		default:
			lo, hi := scores[order[k-1]], scores[order[k]]
			at := lo + (hi-lo)/2
			if lo <= 0 && 0 < hi {
				at = 0
			}
			consider(min(at, math.Nextafter(hi, math.Inf(-1))))
		}
		if k == len(order) {
			break
		}
		for score := scores[order[k]]; k < len(order) && scores[order[k]] == score; k++ {
			sum.Add(of(order[k], false) - of(order[k], true))
		}
	}
	return t, best / all.Value()
}
