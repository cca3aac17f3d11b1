package main

import (
	"fmt"
	"math"
	"strconv"
)

// seconds spells a time to three digits.
func seconds(s float64) string {
	switch {
	case math.IsInf(s, 0) || math.IsNaN(s) || s <= 0:
		return "-"
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 1000:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// String spells the best of several times, and the median where it differs.
func (t timing) String() string {
	if !t.found() {
		return "-"
	}
	best, median := seconds(t.Best), seconds(t.Median)
	if t.N == 1 || best == median {
		return best
	}
	return best + " (" + median + ")"
}

// ratio spells how many times faster the second is.
func ratio(slow, fast float64) string {
	r := slow / fast
	if math.IsNaN(r) || math.IsInf(r, 0) || r <= 0 {
		return "-"
	}
	return times(r)
}

// times spells a ratio.
func times(r float64) string {
	switch {
	case r >= 100:
		return fmt.Sprintf("%.0fx", r)
	case r >= 10:
		return fmt.Sprintf("%.1fx", r)
	}
	return fmt.Sprintf("%.2fx", r)
}

// megabytes spells a number of bytes.
func megabytes(b int64) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g MB", float64(b)/1e6)
}

// number spells a number without rounding it.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
