package theory

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Scaling is the time of training to a given accuracy on new rows as a function of the number
// m of rows to learn from, Theorem 2 of [PGS]: T(m) = A/(1 - M0/m). It is infinite for m <= M0,
// the sample complexity, falls, and tends to A.
type Scaling struct{ A, M0 float64 }

// Slope is that of 1/T as a function of 1/m: -M0/A. Inverse time dependency is a negative one.
func (s Scaling) Slope() float64 { return -s.M0 / s.A }

// A Timing is a measured time T of training on M rows; +Inf where the accuracy was not reached.
type Timing struct{ M, T float64 }

// FitScaling fits 1/T = 1/A - (M0/A)(1/m) to timings by least squares. It is NaN where all
// have one number of rows.
func FitScaling(timings []Timing) Scaling {
	n := float64(len(timings))
	var x, y, xx, xy float64
	for _, t := range timings {
		x += 1 / t.M
		y += 1 / t.T
	}
	x, y = x/n, y/n
	for _, t := range timings {
		xx += (1/t.M - x) * (1/t.M - x)
		xy += (1/t.M - x) * (1/t.T - y)
	}
	if xx == 0 {
		return Scaling{math.NaN(), math.NaN()}
	}
	slope := xy / xx
	a := 1 / (y - slope*x)
	return Scaling{A: a, M0: -slope * a}
}

// An Interval has a lower and an upper end.
type Interval struct{ Lo, Hi float64 }

// Bootstrap returns intervals for A, M0 and the slope with that confidence, such as 0.95: the
// quantiles over fits of timings drawn again with replacement, of each m as many as there are.
func Bootstrap(timings []Timing, confidence float64, draws int, seed uint64) (a, m0, slope Interval) {
	random := rand.New(rand.NewPCG(seed, 0))
	groups := grouped(timings)
	as, m0s, slopes := make([]float64, draws), make([]float64, draws), make([]float64, draws)
	again := make([]Timing, 0, len(timings))
	for k := range draws {
		again = again[:0]
		for _, g := range groups {
			for range g {
				again = append(again, g[random.IntN(len(g))])
			}
		}
		s := FitScaling(again)
		as[k], m0s[k], slopes[k] = s.A, s.M0, s.Slope()
	}
	return quantiles(as, confidence), quantiles(m0s, confidence), quantiles(slopes, confidence)
}

// grouped puts timings of one m together.
func grouped(timings []Timing) (groups [][]Timing) {
	sorted := slices.SortedStableFunc(slices.Values(timings), func(a, b Timing) int { return cmp.Compare(a.M, b.M) })
	for i, t := range sorted {
		if i == 0 || t.M != sorted[i-1].M {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], t)
	}
	return groups
}

// quantiles cuts off half of what is beyond the confidence at either end of the values.
func quantiles(values []float64, confidence float64) Interval {
	slices.Sort(values)
	last := float64(len(values) - 1)
	tail := (1 - confidence) / 2
	return Interval{values[int(math.Floor(tail*last))], values[int(math.Ceil((1-tail)*last))]}
}
