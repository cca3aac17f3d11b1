package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// RMSE is the root of the mean squared error. NaN without rows.
func RMSE(prediction, target, weight []float64) float64 {
	check(len(prediction), len(target), weight)
	return rootMeanSquare(len(target), weight, func(i int) float64 { return prediction[i] - target[i] })
}

// MAE is the mean absolute error. NaN without rows.
func MAE(prediction, target, weight []float64) float64 {
	check(len(prediction), len(target), weight)
	return mean(len(target), weight, func(i int) float64 { return math.Abs(prediction[i] - target[i]) })
}

// Pinball is the mean of max(tau (y-p), (1-tau)(p-y)), which is least where the share tau of the
// targets lies below p (scikit-learn's mean_pinball_loss). NaN without rows.
func Pinball(prediction, target, weight []float64, tau float64) float64 {
	check(len(prediction), len(target), weight)
	return mean(len(target), weight, func(i int) float64 {
		miss := target[i] - prediction[i]
		return math.Max(float64(tau*miss), float64((tau-1)*miss))
	})
}

// Deviance is the mean Poisson deviance of predicted means p > 0 of counts y >= 0, the mean of
// 2 (y log(y/p) - y + p). NaN without rows, or where a row has no such p and y.
func Deviance(prediction, target, weight []float64) float64 {
	check(len(prediction), len(target), weight)
	return mean(len(target), weight, func(i int) float64 {
		p, y := prediction[i], target[i]
		switch {
		case !(p > 0) || !(y >= 0):
			return math.NaN()
		case y == 0:
			return 2 * p
		}
		return 2 * (float64(y*elementary.Log(y/p)) - y + p)
	})
}

// R2 is the coefficient of determination,
//
//	1 - sum_i s_i (p_i - y_i)^2 / sum_i s_i (y_i - mean y)^2:
//
// 1 when perfect, 0 for always predicting the mean, negative when worse than
// that. For a constant target it is undefined: NaN, also when the predictions
// are perfect, and reports leave it out ([Present]).
func R2(prediction, target, weight []float64) float64 {
	check(len(prediction), len(target), weight)
	if constant(target, weight) {
		return math.NaN()
	}
	center := mean(len(target), weight, func(i int) float64 { return target[i] })
	spread := rootMeanSquare(len(target), weight, func(i int) float64 { return target[i] - center })
	ratio := RMSE(prediction, target, weight) / spread
	return 1 - ratio*ratio
}

// MedianAbsolute is the median of the absolute errors; with an even number of
// rows the mean of the two in the middle. With weights, half of the weight
// lies at or below it and half at or above. NaN without rows.
func MedianAbsolute(prediction, target, weight []float64) float64 {
	check(len(prediction), len(target), weight)
	miss := make([]float64, len(target))
	for i, y := range target {
		miss[i] = math.Abs(prediction[i] - y)
	}
	return Median(miss, weight)
}

// Median is the value that half of the weight is below, and the middle of two such; NaN: no row counts.
func Median(values, weight []float64) float64 {
	if n := len(values); n > 0 && at(weight, 0) > 0 && (weight == nil || slices.Max(weight) == slices.Min(weight)) { // which takes a third of the time
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		return sorted[(n-1)/2] + (sorted[n/2]-sorted[(n-1)/2])/2
	}
	type row struct{ value, weight float64 }
	var rows []row
	total := 0.0
	for i, x := range values {
		if s := at(weight, i); s > 0 {
			rows = append(rows, row{x, s})
			total += s
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.value, b.value) })
	below := 0.0
	for k, r := range rows {
		below += r.weight
		switch {
		case below == total/2 && k+1 < len(rows):
			return r.value + (rows[k+1].value-r.value)/2
		case below > total/2 || k+1 == len(rows):
			return r.value
		}
	}
	return math.NaN()
}

// constant reports whether all rows that count have one target. Comparing is
// needed because a computed mean of equal numbers can differ from them.
func constant(target, weight []float64) bool {
	first := math.NaN()
	for i, y := range target {
		switch {
		case at(weight, i) == 0:
		case math.IsNaN(first):
			first = y
		case y != first:
			return false
		}
	}
	return true
}

// rootMeanSquare divides by the largest number first, so that squares neither
// overflow nor vanish.
func rootMeanSquare(n int, weight []float64, f func(i int) float64) float64 {
	largest := 0.0
	for i := range n {
		if at(weight, i) != 0 {
			largest = max(largest, math.Abs(f(i))) // NaN stays NaN
		}
	}
	if largest == 0 {
		largest = 1
	}
	if math.IsInf(largest, 0) || math.IsNaN(largest) {
		return largest
	}
	return largest * math.Sqrt(mean(n, weight, func(i int) float64 { v := f(i) / largest; return v * v }))
}
