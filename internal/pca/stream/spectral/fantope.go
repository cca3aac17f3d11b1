package spectral

import (
	"cmp"
	"slices"
)

// A fantope projects spectra on {0 <= s <= 1, sum s = k}, the eigenvalues of the
// matrices 0 <= M <= I of trace k, in the Frobenius norm (MSG: thesis 6.2, its
// Algorithm 6.2 in another form).
//
//	s_i = min(1, max(0, sigma_i + S)),  S such that sum_i count_i s_i = k
//
// The sum is a continuous, non-decreasing, piecewise linear function of S. From
// the left to the right, sigma_i leaves 0 at S = -sigma_i and reaches 1 at
// S = 1 - sigma_i; both happen in the order of falling sigma, so one pass merges
// the two and stops in the piece where the sum reaches k. There S solves a linear
// equation. O(m log m) to sort, O(m) when sorted; no tolerances, no failures.
//
// The order of two events is that of sigma_j - sigma_i and 1, and S is counted
// from one of the values strictly between, so that values of any size neither
// overflow nor lose the digits behind the point. Rejected: Algorithm 6.2 itself
// (two pointers and four conditions, each with a tolerance: the twin in the tests).
//
// The zero value is ready; its memory is used again by the next projection.
type fantope struct {
	order []int // indices by falling value
}

// project replaces sigma by its projection. count says how often each value
// occurs; nil is once each.
func (f *fantope) project(sigma []float64, count []int, k float64) {
	if len(sigma) == 0 {
		return
	}
	f.sort(sigma)
	pivot, s := f.solve(sigma, count, k)
	clipShifted(sigma, sigma[pivot], s)
}

// clipShifted replaces every value by (value - origin) + s, clipped to [0, 1].
func clipShifted(sigma []float64, origin, s float64) {
	for i, v := range sigma {
		sigma[i] = min(max((v-origin)+s, 0), 1)
	}
}

// sort fills order: by falling value, of equal ones the earlier first.
func (f *fantope) sort(sigma []float64) {
	f.order = f.order[:0]
	for i := range sigma {
		f.order = append(f.order, i)
	}
	slices.SortFunc(f.order, func(i, j int) int {
		if c := cmp.Compare(sigma[j], sigma[i]); c != 0 {
			return c
		}
		return i - j
	})
}

// solve returns a value's index, the pivot, and what that value becomes before it
// is clipped, for the values that order names. Left of first all are at 1, from
// last on at 0; between them are those that move with S.
func (f *fantope) solve(sigma []float64, count []int, k float64) (pivot int, s float64) {
	order := f.order
	if k <= 0 {
		return order[0], 0
	}
	var sum, ones, moving float64
	first, last := 0, 0
	at, level := order[0], 0.0 // the last event: value at has reached level, 0 or 1
	for first < len(order) {
		next, nextLevel := order[first], 1.0
		if last < len(order) && !(sigma[order[first]]-sigma[order[last]] >= 1) {
			next, nextLevel = order[last], 0
		}
		if moving > 0 {
			sum += float64(moving * ((sigma[at] - sigma[next]) + (nextLevel - level)))
			if sum >= k {
				return order[first], linear(sigma, count, order[first:last], k-ones)
			}
		}
		if at, level = next, nextLevel; level == 0 {
			moving += times(count, next)
			last++
		} else {
			moving -= times(count, next)
			ones += times(count, next)
			first++
		}
	}
	return order[len(order)-1], 1
}

// linear returns the s_first that gives the moving values the sum rest when each
// differs from s_first as the values do.
func linear(sigma []float64, count, moving []int, rest float64) float64 {
	n := 0.0
	for _, i := range moving {
		n += times(count, i)
		rest += float64(times(count, i) * (sigma[moving[0]] - sigma[i]))
	}
	return rest / n
}

// times returns how often value i occurs.
func times(count []int, i int) float64 {
	if count == nil {
		return 1
	}
	return float64(count[i])
}
