package calibration

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Rank is which of n errors of other rows, from the smallest on, the error of a new row is at most with a
// probability of the level, if all n + 1 are exchangeable; above n: they are too few. (Vovk, Gammerman,
// Shafer, Algorithmic Learning in a Random World, 2005.)
func Rank(n int, level float64) int { return int(math.Ceil(level * float64(n+1))) }

// Quantile is the error of that rank, of errors that count so many times each, whole numbers; ok is false where they are too few.
func Quantile(errors, times []float64, level float64) (q float64, ok bool) {
	n, order := 0.0, make([]int, len(errors))
	for i, t := range times {
		n, order[i] = n+t, i
	}
	left := math.Ceil(level * (n + 1))
	if left > n || left < 1 {
		return 0, false
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(errors[a], errors[b]) })
	for _, i := range order {
		if left -= times[i]; left <= 0 {
			return errors[i], true
		}
	}
	return 0, false
}

// Select returns the number of a rank, from the smallest on, of all numbers of lists, each with what
// is added to a list. Lists are increasing; it takes O(k^2 log^2 n) for k of them, and O(n) where they are short.
func Select(lists [][]float64, add []float64, rank int) float64 {
	if len(lists) > fewLists {
		all := make([]float64, 0, len(lists))
		for k, list := range lists {
			for _, v := range list {
				all = append(all, v+add[k])
			}
		}
		if rank > len(all) {
			return math.Inf(1)
		}
		return nth(all, rank-1)
	}
	best := math.Inf(1)
	for k, list := range lists {
		i := sort.Search(len(list), func(i int) bool { return upTo(lists, add, list[i]+add[k]) >= rank })
		if i < len(list) {
			best = math.Min(best, list[i]+add[k])
		}
	}
	return best
}

// fewLists is up to how many lists are searched, and not put together.
const fewLists = 32

// nth returns the number k of v in increasing order, from 0, and changes the order of v (Hoare 1961).
func nth(v []float64, k int) float64 {
	for len(v) > 2 {
		pivot, i, j := v[len(v)/2], 0, len(v)-1
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			v = v[:j+1]
		case k >= i:
			v, k = v[i:], k-i
		default:
			return pivot
		}
	}
	return slices.Sorted(slices.Values(v))[k]
}

// upTo is how many numbers are at most v.
func upTo(lists [][]float64, add []float64, v float64) (count int) {
	for k, list := range lists {
		count += sort.Search(len(list), func(i int) bool { return list[i]+add[k] > v })
	}
	return count
}
