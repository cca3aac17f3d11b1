package metric

import (
	"cmp"
	"math"
	"slices"
)

// AUC is the area under the ROC curve: the probability that a random positive
// row scores above a random negative one, a tie counting one half,
//
//	AUC = sum over pairs (p positive, q negative) of s_p s_q ([f_p > f_q] + [f_p = f_q]/2) / (S_p S_q),
//
// found exactly by sorting (the rank statistic of Mann and Whitney) in
// O(n log n). It is NaN when there is no positive or no negative row, or when
// a score is NaN and so has no rank.
func AUC(scores []float64, positive []bool, weight []float64) float64 {
	check(len(scores), len(positive), weight)
	if weight == nil {
		return countedAUC(scores, positive)
	}
	order := ranked(scores)
	if order == nil {
		return math.NaN()
	}
	var above, positives, negatives float64 // twice the pairs won; weights below the current tie
	for lo := 0; lo < len(order); {
		tie := [2]float64{} // negatives and positives of this score
		score := scores[order[lo]]
		for ; lo < len(order) && scores[order[lo]] == score; lo++ {
			i := order[lo]
			class := 0
			if positive[i] {
				class = 1
			}
			tie[class] += at(weight, i)
		}
		above += tie[1] * (2*negatives + tie[0])
		negatives += tie[0]
		positives += tie[1]
	}
	return above / (2 * positives * negatives)
}

// AveragePrecision is the area under precision over recall as a sum of steps,
//
//	AP = sum over distinct scores c, from the largest on, of (R_c - R_c') P_c,
//
// R_c and P_c being recall and precision where rows that score c and more are taken for
// positive, c' the score before (scikit-learn's average_precision_score). NaN without a positive
// row, or when a score is NaN.
func AveragePrecision(scores []float64, positive []bool, weight []float64) float64 {
	check(len(scores), len(positive), weight)
	order := ranked(scores)
	sum, right, taken := 0.0, 0.0, 0.0
	for hi := len(order) - 1; hi >= 0; {
		before := right
		for score := scores[order[hi]]; hi >= 0 && scores[order[hi]] == score; hi-- {
			w := at(weight, order[hi])
			if taken += w; positive[order[hi]] {
				right += w
			}
		}
		if right > before {
			sum += (right - before) * (right / taken)
		}
	}
	return sum / right
}

// ranked returns the rows by increasing score; nil: one is NaN.
func ranked(scores []float64) []int {
	order := make([]int, len(scores))
	for i, f := range scores {
		if math.IsNaN(f) {
			return nil
		}
		order[i] = i
	}
	// The place breaks ties so that weights are added in one fixed order.
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[a], scores[b]), cmp.Compare(a, b)) })
	return order
}

// countedAUC is AUC of rows that count once. What it adds up is whole numbers,
// hence exact in any order, so the two classes are sorted as bare scores, four
// times as fast, and then walked through side by side.
func countedAUC(scores []float64, positive []bool) float64 {
	var class [2][]float64 // negatives, positives
	for i, f := range scores {
		if math.IsNaN(f) {
			return math.NaN()
		}
		c := 0
		if positive[i] {
			c = 1
		}
		class[c] = append(class[c], f)
	}
	slices.Sort(class[0])
	slices.Sort(class[1])
	above, below, upTo := 0.0, 0, 0 // negatives below a positive, and those not above it
	for _, f := range class[1] {
		for below < len(class[0]) && class[0][below] < f {
			below++
		}
		for upTo = max(upTo, below); upTo < len(class[0]) && class[0][upTo] == f; upTo++ {
		}
		above += float64(below + upTo) // twice the pairs won
	}
	return above / (2 * float64(len(class[0])) * float64(len(class[1])))
}
