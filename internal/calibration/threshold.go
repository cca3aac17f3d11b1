package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Margin is a row of two classes as a model scores it.
type Margin struct {
	Score, Weight float64
	Second        bool // it is of the second class
}

// Cost is what the row costs where the second class is predicted above a threshold.
func (m Margin) Cost(threshold float64, costs [2]float64) float64 {
	switch second := m.Score > threshold; {
	case second == m.Second:
		return 0
	case second:
		return m.Weight * costs[0]
	}
	return m.Weight * costs[1]
}

// Threshold returns the t at which the mean cost of rows is least: those that score above t are
// taken for the second class, costs are of a row of each class that is taken for the other. t lies
// in the middle between two scores, or beyond all; of equal costs the one next to 0 is taken.
// Sorting takes O(n log n).
func Threshold(rows []Margin, costs [2]float64) (t, cost float64) {
	var sum, all vec.Sum // of the costs where all are taken for the second, and of the weights
	for _, row := range rows {
		all.Add(row.Weight)
		if !row.Second {
			sum.Add(float64(row.Weight * costs[0]))
		}
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Margin) int { return cmp.Compare(a.Score, b.Score) })
	best := math.Inf(1)
	for k := 0; ; {
		if at, c := between(rows, k), sum.Value(); c < best || c == best && math.Abs(at) < math.Abs(t) {
			best, t = c, at
		}
		if k == len(rows) {
			return t, best / all.Value()
		}
		for score := rows[k].Score; k < len(rows) && rows[k].Score == score; k++ { // is taken for the first
			if rows[k].Second {
				sum.Add(float64(rows[k].Weight * costs[1]))
			} else {
				sum.Add(-float64(rows[k].Weight * costs[0]))
			}
		}
	}
}

// between returns a threshold above the first k scores in order and below the others: 0 if it is
// one, else the middle, or one next to the scores at the end.
func between(rows []Margin, k int) float64 {
	n := len(rows)
	switch {
	case n == 0:
		return 0
	case k == 0:
		return min(0, math.Nextafter(rows[0].Score, math.Inf(-1)))
	case k == n:
		return max(0, rows[n-1].Score)
	}
	lo, hi := rows[k-1].Score, rows[k].Score
	if lo <= 0 && 0 < hi {
		return 0
	}
	return min(lo+(hi-lo)/2, math.Nextafter(hi, math.Inf(-1)))
}

// MostCost is the largest cost of a row: sums over rows do not overflow.
const MostCost = 1e100
