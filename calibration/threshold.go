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
	var sum, all vec.Sum // of the costs where all are taken for positive, and of the weights
	change := make([]float64, len(scores))
	for i := range scores {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		all.Add(w)
		if change[i] = float64(w * costs[1]); !positive[i] {
			change[i] = -float64(w * costs[0])
			sum.Add(-change[i])
		}
	}
	best := math.Inf(1)
	for k := 0; ; {
		if at, c := between(scores, order, k), sum.Value(); c < best || c == best && math.Abs(at) < math.Abs(t) {
			best, t = c, at
		}
		if k == len(order) {
			return t, best / all.Value()
		}
		for score := scores[order[k]]; k < len(order) && scores[order[k]] == score; k++ {
			sum.Add(change[order[k]]) // the row is taken for negative
		}
	}
}

// between returns a threshold above the first k scores in order and below the others: 0 if it is
// one, else the middle, or one next to the scores at the end.
func between(scores []float64, order []int, k int) float64 {
	n := len(order)
	switch {
	case n == 0:
		return 0
	case k == 0:
		return min(0, math.Nextafter(scores[order[0]], math.Inf(-1)))
	case k == n:
		return max(0, scores[order[n-1]])
	}
	lo, hi := scores[order[k-1]], scores[order[k]]
	if lo <= 0 && 0 < hi {
		return 0
	}
	return min(lo+(hi-lo)/2, math.Nextafter(hi, math.Inf(-1)))
}
