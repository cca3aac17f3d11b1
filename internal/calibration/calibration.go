// Package calibration makes probabilities of scores: functions of numbers that know no
// model. What they are given are scores of rows that the model did not learn from, such as
// those of cross-validation by [Folds].
//
// Begin with [Platt]; [FitIsotonic] and [Temperature] are other ways.
package calibration

import (
	"math"
	"slices"
)

// Names of the calibrators, which make probabilities of scores; ByAuto takes the one of the least log loss on rows that it was not fitted to.
const BySigmoid, ByIsotonic, ByTemperature, ByAuto = "sigmoid", "isotonic", "temperature", "auto"

// Calibrators returns these names.
func Calibrators() []string { return []string{BySigmoid, ByIsotonic, ByTemperature, ByAuto} }

// Folds deals rows out in this order into so many folds, which get as many rows of each class as
// each other, or one more: fold i of row i. class nil: rows have none.
func Folds(order []int, class []uint32, folds int) []int {
	fold := make([]int, len(order))
	if class != nil {
		order = slices.Clone(order)
		slices.SortStableFunc(order, func(a, b int) int { return int(class[a]) - int(class[b]) })
	}
	for next, row := range order { // the classes go on where the one before has ended
		fold[row] = next % folds
	}
	return fold
}

// Fold is the numbers, from 0, of rows to learn from and of others to be judged on, each in
// increasing order.
type Fold struct{ Learn, Judge []int }

// Split makes so many folds of the numbers of those in which the rows are judged on.
func Split(of []int, k int) []Fold {
	folds := make([]Fold, k)
	for i, own := range of {
		for f := range folds {
			if f == own {
				folds[f].Judge = append(folds[f].Judge, i)
			} else {
				folds[f].Learn = append(folds[f].Learn, i)
			}
		}
	}
	return folds
}

// Laplace returns the scale s of the density exp(-|z|/s)/(2s) of the errors z of predicted
// numbers, as LIBSVM does: their mean magnitude, without those beyond five standard
// deviations of that density (Lin and Weng, Simple Probabilistic Predictions for Support
// Vector Regression, 2004). weight may be nil: each row counts once.
func Laplace(errors, weight []float64) float64 {
	scale := meanMagnitude(errors, weight, math.Inf(1))
	return meanMagnitude(errors, weight, 5*math.Sqrt(2*scale*scale))
}

// meanMagnitude is the mean of |z| of those that are at most so large.
func meanMagnitude(errors, weight []float64, most float64) float64 {
	sum, all := 0.0, 0.0
	for i, z := range errors {
		if m := math.Abs(z); m <= most {
			w := weightOf(weight, i)
			sum, all = sum+float64(w*m), all+w
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}

func weightOf(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// marks is how many there are, and half of them below 0.
const marks, half = 10, 5

// Marks returns ten increasing scores of one class, between which the probability of the
// class grows by a tenth, as LIBSVM 3.3 does: five of the negative scores and five of the
// others, half-way between evenly spread ones. ok is false if there are fewer than five of
// either.
func Marks(scores []float64) (list []float64, ok bool) {
	sorted := slices.Sorted(slices.Values(scores))
	negative, _ := slices.BinarySearch(sorted, 0)
	positive := len(sorted) - negative
	if negative < half || positive < half {
		return nil, false
	}
	var ends []float64
	for i := range marks + 1 {
		switch {
		case i < half:
			ends = append(ends, sorted[i*negative/half])
		case i == half:
			ends = append(ends, 0)
		default:
			ends = append(ends, sorted[negative-1+(i-half)*positive/half])
		}
	}
	for i := range marks {
		list = append(list, (ends[i]+ends[i+1])/2)
	}
	return list, true
}
