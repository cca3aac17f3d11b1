package metric

import (
	"fmt"
	"math"
)

// clip keeps probabilities away from 0, so that one hopeless row costs
// log(2^52), about 36, instead of making the mean infinite.
const clip = 0x1p-52

// LogLoss is the mean of -log(probability[i][truth[i]]) in nats. Row i of
// probability holds one number for each class; truth[i] is a class code or
// [Unknown], to which the model gives probability 0. Probabilities are clipped
// to [2^-52, 1] and taken as they are: rows are not rescaled to sum to one.
// NaN without rows, or when a probability is NaN.
func LogLoss(probability [][]float64, truth []int, weight []float64) float64 {
	check(len(probability), len(truth), weight)
	return mean(len(truth), weight, func(i int) float64 {
		if t := truth[i]; t != Unknown {
			if t < 0 || t >= len(probability[i]) {
				panic(fmt.Sprintf("metric: true class %d of %d classes", t, len(probability[i])))
			}
			return minusLog(probability[i][t])
		}
		return minusLog(0)
	})
}

// Brier is the mean over rows of the sum over classes of (p - y)^2, y being 1 for the class
// of the row and 0 for others (Brier 1950); of two classes half of that, which is (p - y)^2
// of either. Arguments are those of [LogLoss]; of an unknown class every y is 0. NaN without
// rows, or when a probability is NaN.
func Brier(probability [][]float64, truth []int, weight []float64) float64 {
	check(len(probability), len(truth), weight)
	return mean(len(truth), weight, func(i int) float64 {
		sum := 0.0
		for c, p := range probability[i] {
			if c == truth[i] {
				p = 1 - p
			}
			sum += float64(p * p)
		}
		if len(probability[i]) == 2 {
			return sum / 2
		}
		return sum
	})
}

// minusLog is -log(p) with p clipped; NaN stays NaN.
func minusLog(p float64) float64 {
	return -math.Log(min(max(p, clip), 1))
}
