package pose

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Select returns some of the numbers.
func Select(all []float64, places []uint32) []float64 {
	some := make([]float64, len(places), len(places)+1)
	for k, i := range places {
		some[k] = all[i]
	}
	return some
}

// OrOnes returns the weights, n ones if there are none.
func OrOnes(weights []float64, n int) []float64 {
	if weights != nil {
		return weights
	}
	return slices.Repeat([]float64{1}, n)
}

// Sum adds numbers in their order.
func Sum(weights []float64) float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	return total
}

// FiniteOr returns x, or otherwise if it is not finite.
func FiniteOr(x, otherwise float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return otherwise
	}
	return x
}

// Scaled returns numbers times a factor.
func Scaled(by float64, x []float64) []float64 {
	scaled := make([]float64, len(x))
	vec.Axpy64(scaled, by, x)
	return scaled
}

// Near reports whether the numbers of two lists are the same but for rounding, each.
func Near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= Tolerance*math.Abs(x) })
}

// Deviation is the standard deviation of numbers.
func Deviation(x []float64) float64 {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	return math.Sqrt(square)
}

// Tolerance is how far a recomputed value may be from the stored one, relative
// to its size and besides what rounding explains. The same program gives the same
// bits; another version may order its sums otherwise.
const Tolerance = 1e-9
