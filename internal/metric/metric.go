// Package metric says how good predictions are: it compares what was predicted
// with what is true, row by row, and nothing else.
//
// Classification counts a [Confusion] matrix with one row for each true class
// and one column for each predicted one; accuracy, precision, recall and F1
// are ratios of its cells. [AUC], [AveragePrecision] and [LogLoss] judge scores and probabilities.
// [RMSE], [MAE], [R2], [MedianAbsolute], [Pinball] and [Deviance] judge numbers. Every metric takes
// row weights, nil for "every row counts once"; a weight of 2 is the row twice.
//
// A metric that is undefined on the given rows (R2 of a constant target, AUC
// without negatives, anything of no rows) is NaN, and whoever reports it
// leaves it out: see [Present]. What a row's score means, and thresholds, are
// the model's business; losses that are trained on live in package loss.
//
// A new metric is one file with one function of (predicted, true, weight) and
// a test that holds it against a slow twin.
package metric

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Present returns the value to report for x: nil, which JSON and tables leave
// out, when x is NaN, that is undefined on these rows.
func Present(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// at is weight[i], or 1 when there are no weights.
func at(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// check panics when the lengths differ: a mistake of the calling program.
func check(predicted, truth int, weight []float64) {
	if predicted != truth || (weight != nil && len(weight) != truth) {
		panic(fmt.Sprintf("metric: %d predictions, %d true values, %d weights", predicted, truth, len(weight)))
	}
}

// mean returns sum_i s_i f(i) / sum_i s_i, both sums compensated; NaN when the
// weights sum to zero.
func mean(n int, weight []float64, f func(i int) float64) float64 {
	var sum, total vec.Sum
	for i := range n {
		s := at(weight, i)
		if s == 0 {
			continue // 0 * Inf must not become NaN
		}
		sum.Add(float64(s * f(i))) // rounded first: fused into Add it would spoil the compensation
		total.Add(s)
	}
	return sum.Value() / total.Value()
}
