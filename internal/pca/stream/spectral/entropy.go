package spectral

import (
	"cmp"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// An entropy projects spectra on {0 <= w <= 1/(d-k), sum w = 1}, the eigenvalues of
// the matrices W of trace 1 and norm at most 1/(d-k), in relative entropy (Warmuth
// and Kuzmin 2008; thesis 5.3, its Algorithm 5.3 corrected):
//
//	w_i = min(1/(d-k), w'_i / Z),  Z such that sum_i count_i w_i = 1
//
// All of it on logarithms g = ln w, for the eigenvalues of good directions fall
// below the smallest number. Values come by rising size; with s the sum of the
// first ones and c their number, the others at the cap leave them
//
//	Z = s (d-k)/(c-k)      (c > k)
//
// and the first c whose next value then is above the cap is the right one: what
// was taken in before is below it, because Z/(d-k) = s/(c-k) is a weighted mean
// of values taken in and of its earlier self. So nothing is compared with a
// tolerance. s is kept divided by the largest value in it, and logarithms are
// counted from that value: ones near -1e6 lose no digits. O(m log m).
//
// The zero value is ready; its memory is used again by the next projection.
type entropy struct {
	order []int // indices by rising value; len(g) stands for the background
}

// lowest stands for the logarithm of 0: differences of two such are finite.
const lowest = -math.MaxFloat64 / 4

// project replaces the logarithms g, of which g_i occurs count_i times (nil: once
// each), by those of the projection. The d - sum count eigenvalues not among them
// are the background: they are at the cap, and become at most background, which is
// the cap itself, -ln(d-k), whenever the sum of all eigenvalues was at most 1. It
// returns ln Z too. 1 <= k < d.
func (e *entropy) project(g []float64, count []int, d, k int) (lnZ, background float64) {
	ceiling := -elementary.Log(float64(d - k))
	rest := d
	for i := range g {
		g[i] = max(g[i], lowest)
		rest -= int(times(count, i))
	}
	e.sort(g, ceiling, rest)
	origin, scale := e.solve(g, count, d, k, ceiling, rest)
	for i := range g {
		g[i] = min(ceiling, (g[i]-origin)-scale)
	}
	return origin + scale, min(ceiling, (ceiling-origin)-scale)
}

// sort fills order: by rising value, of equal ones the earlier first. The
// background comes last of its equals, and not at all when it is empty.
func (e *entropy) sort(g []float64, ceiling float64, rest int) {
	e.order = e.order[:0]
	for i := range g {
		e.order = append(e.order, i)
	}
	if rest > 0 {
		e.order = append(e.order, len(g))
	}
	slices.SortFunc(e.order, func(i, j int) int {
		if c := cmp.Compare(valueOr(g, i, ceiling), valueOr(g, j, ceiling)); c != 0 {
			return c
		}
		return i - j
	})
}

// solve returns ln Z as a sum of two: a value of g, and a number of moderate size.
func (e *entropy) solve(g []float64, count []int, d, k int, ceiling float64, rest int) (origin, scale float64) {
	s, c := 0.0, 0.0 // sum of the values so far over the largest, origin; their number
	origin = valueOr(g, e.order[0], ceiling)
	for at, i := range e.order {
		n := float64(rest)
		if i < len(g) {
			n = times(count, i)
		}
		value := valueOr(g, i, ceiling)
		s = float64(s*elementary.Exp(origin-value)) + n
		c += n
		origin = value
		if c <= float64(k) {
			continue
		}
		scale = elementary.Log(float64(s*float64(d-k)) / (c - float64(k)))
		if at+1 < len(e.order) && (valueOr(g, e.order[at+1], ceiling)-origin)-scale < ceiling {
			continue
		}
		break
	}
	return origin, scale
}

// valueOr returns g[i], or the background's value for i = len(g).
func valueOr(g []float64, i int, background float64) float64 {
	if i == len(g) {
		return background
	}
	return g[i]
}
