package schedule

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// StepMSG is sqrt(2k/T)/G for T steps of MSG, G^2 = mean |x|^4: no two feasible M
// are farther apart than sqrt(2k).
func StepMSG(k, steps int, fourth float64) Schedule {
	return Constant{math.Sqrt(2*float64(k)/float64(steps)) / math.Sqrt(fourth)}
}

// StepAnytime is sqrt(k/t)/G for MSG when the number of steps is not known. It is
// also the upper end of the values that are good in practice: 2 to 4 times less
// was best in experiments.
func StepAnytime(k int, fourth float64) Schedule {
	return InverseRoot{math.Sqrt(float64(k)) / math.Sqrt(fourth)}
}

// StepEntropy is ln(1 + sqrt(2D/(T L*))), D = (d-k) ln(d/(d-k)), for T steps of
// Warmuth and Kuzmin's algorithm on rows of |x| <= 1, of which the best subspace
// leaves L* on average. L* = 0 would be an infinite step: T L* counts as at least
// 1e-6 of D.
func StepEntropy(d, k, steps int, loss float64) Schedule {
	distance := EntropyDistance(d, k)
	total := max(float64(steps)*loss, 1e-6*distance)
	return Constant{vec.Log1p(math.Sqrt(2 * (distance / total)))}
}

// StepMirror is sqrt(B/T), B = ln(d/(d-k)), for T steps of the same algorithm by
// the general analysis of mirror descent.
func StepMirror(d, k, steps int) Schedule {
	return Constant{math.Sqrt(EntropyDistance(d, k) / float64(d-k) / float64(steps))}
}

// EntropyDistance returns (d-k) ln(d/(d-k)), at most k: d-k times the relative
// entropy from I/d to the projections on d-k directions.
func EntropyDistance(d, k int) float64 {
	rest := float64(d - k)
	return rest * vec.Log1p(float64(k)/rest)
}
