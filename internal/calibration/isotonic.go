package calibration

import (
	"cmp"
	"math"
	"slices"
)

// Isotonic is an increasing function of a score: between two of its points the line through both, beyond
// all of them the value of the last.
type Isotonic struct {
	Score []float64 `json:"score"`       // increasing
	Share []float64 `json:"probability"` // at these scores; increasing or equal
}

// FitIsotonic returns the increasing function that is nearest to targets of scores.
//
//	Problem     min over v of sum_i w_i (v_i - t_i)^2, v_i <= v_j where s_i < s_j, v_i = v_j where s_i = s_j
//	Symbols     s scores, t targets, w weights of rows
//	Update      pool adjacent violators: from the lowest score on, a value that is not above the one
//	            before it is pooled with it to their weighted mean
//	Returned    the first and last score of each pool, with its mean; of no rows 1/2
//	Cost        O(n log n), for sorting
//	Source      Ayer, Brunk, Ewing, Reid, Silverman, An empirical distribution function for sampling
//	            with incomplete information, 1955; Zadrozny and Elkan, Transforming classifier scores
//	            into accurate multiclass probability estimates, 2002
//
// weight may be nil: each row counts once. Lines between pools are those of scikit-learn.
func FitIsotonic(scores, targets, weight []float64) Isotonic {
	var pools []pool
	for _, next := range tied(scores, targets, weight) {
		for last := len(pools) - 1; last >= 0 && pools[last].mean() >= next.mean(); last-- {
			before := pools[last]
			next = pool{before.first, next.last, before.sum + next.sum, before.weight + next.weight}
			pools = pools[:last]
		}
		pools = append(pools, next)
	}
	if len(pools) == 0 {
		return Isotonic{[]float64{0}, []float64{0.5}}
	}
	var f Isotonic
	for _, p := range pools {
		f.Score, f.Share = append(f.Score, p.first), append(f.Share, p.mean())
		if p.last > p.first {
			f.Score, f.Share = append(f.Score, p.last), append(f.Share, p.mean())
		}
	}
	return f
}

// pool is neighbouring scores that have one value.
type pool struct{ first, last, sum, weight float64 }

func (p pool) mean() float64 { return p.sum / p.weight }

// tied are the different scores in order, with what is known of all rows of each.
func tied(scores, targets, weight []float64) (pools []pool) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	for _, i := range order {
		w := weightOf(weight, i)
		if w == 0 {
			continue
		}
		if last := len(pools) - 1; last >= 0 && pools[last].first == scores[i] {
			pools[last].sum, pools[last].weight = pools[last].sum+float64(w*targets[i]), pools[last].weight+w
			continue
		}
		pools = append(pools, pool{scores[i], scores[i], float64(w * targets[i]), w})
	}
	return pools
}

// At is the value at a score.
func (f Isotonic) At(score float64) float64 {
	last := len(f.Score) - 1
	k, _ := slices.BinarySearch(f.Score, score)
	switch {
	case score != score:
		return score
	case k == 0:
		return f.Share[0]
	case k > last:
		return f.Share[last]
	}
	lo, hi := f.Score[k-1], f.Score[k]
	return f.Share[k-1] + float64((f.Share[k]-f.Share[k-1])*((score-lo)/(hi-lo)))
}

// Above returns the score above which the function is above a share: as large or as small as numbers are where it is so
// nowhere, or everywhere.
func (f Isotonic) Above(share float64) float64 {
	k := 0
	for k < len(f.Share) && f.Share[k] <= share {
		k++
	}
	switch k {
	case 0:
		return -math.MaxFloat64
	case len(f.Share):
		return math.MaxFloat64
	}
	lo, hi := f.Score[k-1], f.Score[k]
	return lo + float64((hi-lo)*((share-f.Share[k-1])/(f.Share[k]-f.Share[k-1])))
}

// Smoothed are the targets of rows that are of a class or not: (P+1)/(P+2) and 1/(N+2), P and N being
// the weights of both, so that no row is impossible (Platt 2000). It returns P and N too.
func Smoothed(of []bool, weight []float64) (targets []float64, positive, negative float64) {
	for i, p := range of {
		if p {
			positive += weightOf(weight, i)
		} else {
			negative += weightOf(weight, i)
		}
	}
	high, low := (positive+1)/(positive+2), 1/(negative+2)
	for _, p := range of {
		if p {
			targets = append(targets, high)
		} else {
			targets = append(targets, low)
		}
	}
	return targets, positive, negative
}
