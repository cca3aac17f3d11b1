package memory

import "math"

// Product multiplies the dimensions of an array of items of size bytes, if
// the bytes can be counted at all.
func Product(size int, dims []int64) (items int64, ok bool) {
	items = 1
	for _, d := range dims {
		if d == 0 {
			return 0, true
		}
		if d < 0 || items > math.MaxInt64/d {
			return 0, false
		}
		items *= d
	}
	return items, items <= math.MaxInt64/int64(size)
}
