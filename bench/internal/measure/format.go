package measure

import (
	"fmt"
	"math"
	"strconv"
)

// Seconds spells a time to three digits.
func Seconds(s float64) string {
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
func (t Timing) String() string {
	if !t.Found() {
		return "-"
	}
	best, median := Seconds(t.Best), Seconds(t.Median)
	if t.N == 1 || best == median {
		return best
	}
	return best + " (" + median + ")"
}

// Ratio spells how many times faster the second is.
func Ratio(slow, fast float64) string {
	r := slow / fast
	if math.IsNaN(r) || math.IsInf(r, 0) || r <= 0 {
		return "-"
	}
	return Times(r)
}

// Times spells a ratio.
func Times(r float64) string {
	switch {
	case r >= 100:
		return fmt.Sprintf("%.0fx", r)
	case r >= 10:
		return fmt.Sprintf("%.1fx", r)
	}
	return fmt.Sprintf("%.2fx", r)
}

// Megabytes spells a number of bytes.
func Megabytes(b int64) string {
	if b <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.4g MB", float64(b)/1e6)
}

// Number spells a number without rounding it.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
