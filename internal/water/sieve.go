package water

import (
	"math"
	"slices"
)

// A sieve lets a search begin near where the last one of the same basin ended.
// What lies in a narrow band around the highest row covered then is searched,
// what is below it or above only told apart: in one pass without branches, as none
// could be predicted. If the answer lies at an end of the band, it may be wrong,
// and the whole is searched: the sieve never changes an answer.
type sieve struct {
	aimed       bool
	high, width float64 // the band is from high-width to high+width
	in          bool    // the search is in the band
	band, above struct {
		height []float64
		row    []int32
	}
}

// few rows are not worth a sieve.
const fewRows = 1024

// strain orders the rows into those below the band, from lo to hi in it, and
// those above. Without a band all are in it.
func (b *basin) strain() (lo, hi int) {
	n := len(b.height)
	low, high := b.high-b.floor-b.width, b.high-b.floor+b.width
	if b.in = b.aimed && n >= fewRows && low <= high; !b.in {
		return 0, n
	}
	for _, s := range []*struct {
		height []float64
		row    []int32
	}{&b.band, &b.above} {
		s.height, s.row = slices.Grow(s.height[:0], n)[:n], slices.Grow(s.row[:0], n)[:n]
	}
	below, band, above := 0, 0, 0
	for i, h := range b.height {
		r := b.row[i]
		b.height[below], b.row[below] = h, r
		b.band.height[band], b.band.row[band] = h, r
		b.above.height[above], b.above.row[above] = h, r
		isBelow, notAbove := int(math.Float64bits(h-low)>>63), int(math.Float64bits(h-high)>>63)
		below, band, above = below+isBelow, band+notAbove-isBelow, above+1-notAbove
	}
	copy(b.height[below:], b.band.height[:band])
	copy(b.row[below:], b.band.row[:band])
	copy(b.height[below+band:], b.above.height[:above])
	copy(b.row[below+band:], b.above.row[:above])
	// One miss in some dozens costs as much as what a narrower band saves.
	if band > 64 {
		b.width *= 0.98
	}
	return below, below + band
}

// missed notes that the answer was not in the band, and reports whether there
// was a band to miss.
func (b *basin) missed(missed bool) bool {
	if !missed || !b.in {
		return false
	}
	b.width *= 2
	return true
}

// aim remembers the highest row covered.
func (b *basin) aim(high float64) {
	if b.width == 0 {
		b.width = (slices.Max(b.height) - slices.Min(b.height)) / 32
	}
	b.high, b.aimed = b.floor+high, true
}
