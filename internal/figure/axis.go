package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Axis is one of the two.
type Axis struct {
	Name string
	Log  bool // only values > 0 are shown

	// Quantiles says that the few values far above or below all others do not stretch the axis: it ends at most
	// half the distance between the quantiles 0.05 and 0.95 beyond them, and curves are cut off there.
	Quantiles bool
}

// span is a range of an axis, in logarithms where it is logarithmic.
type span struct {
	Axis
	lo, hi float64
}

func (s span) value(v float64) float64 {
	if s.Log {
		return math.Log10(v)
	}
	return v
}

// at is where a value stands, from 0 to 1.
func (s span) at(v float64) float64 { return (s.value(v) - s.lo) / (s.hi - s.lo) }

// spanOf is the range of all values that can be shown.
func spanOf(a Axis, curves []Curve, of func(Curve) []float64) span {
	s := span{a, math.Inf(1), math.Inf(-1)}
	var values []float64
	for _, c := range curves {
		for _, v := range of(c) {
			if v := s.value(v); v-v == 0 {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
				values = append(values, v)
			}
		}
	}
	if n := len(values); a.Quantiles && n >= 20 {
		slices.Sort(values)
		low, high := values[n/20], values[n-1-n/20]
		s.lo, s.hi = max(s.lo, low-(high-low)/2), min(s.hi, high+(high-low)/2)
	}
	switch {
	case s.lo > s.hi:
		s.lo, s.hi = 0, 1
	case s.hi-s.lo <= 1e-12*max(math.Abs(s.lo), math.Abs(s.hi)): // one value, but for rounding
		middle := s.lo
		half := 0.5 * max(math.Abs(middle), 1e-300)
		if middle == 0 || s.Log {
			half = 0.5
		}
		s.lo, s.hi = middle-half, middle+half
	}
	margin := 0.03 * (s.hi - s.lo)
	s.lo, s.hi = s.lo-margin, s.hi+margin
	return s
}

// A tick is a round value of an axis; a minor one has a line, and words only where there are few others.
type tick struct {
	value float64
	minor bool
	label string
}

// mostTicks is how many values of an axis have words.
const mostTicks = 8

// ticks are round values within the range: powers of ten of a logarithmic axis, where these are few also other multiples;
// multiples of one of them of another. Where all are nearly the same, or very large or small, name is that of
// what the words say: of the value less a number, or of a multiple.
func (s span) ticks() (ticks []tick, name string) {
	if !s.Log || s.hi-s.lo < 0.7 {
		lo, hi := s.back(0), s.back(1)
		if hi-lo > 0 && !math.IsInf(hi-lo, 0) {
			return labelled(multiples(lo, hi), s.Name)
		}
	}
	step := math.Ceil(math.Floor(s.hi-s.lo+1) / mostTicks)
	for e := math.Floor(s.lo); e <= s.hi; e++ {
		for f := 1.0; f < 10; f++ {
			v := f * math.Pow(10, e)
			if at := s.value(v); !(at >= s.lo && at <= s.hi) || f > 1 && s.hi-s.lo > 4 || f == 1 && math.Mod(e, step) != 0 {
				continue
			}
			word := f == 1 || s.hi-s.lo < 3 && (f == 2 || f == 5)
			ticks = append(ticks, tick{value: v, minor: f > 1, label: map[bool]string{true: s.power(f, e)}[word]})
		}
	}
	return ticks, s.Name
}

// power writes f times 10 to the e, as a decimal where all of the axis are short ones.
func (s span) power(f, e float64) string {
	if s.lo >= -3.2 && s.hi <= 4.2 {
		return strconv.FormatFloat(f*math.Pow(10, e), 'f', max(0, -int(e)), 64)
	}
	if f == 1 {
		return "10" + raised(int(e))
	}
	return strconv.Itoa(int(f)) + "·10" + raised(int(e))
}

// superscripts are digits and the sign of exponents.
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"

// raised writes an exponent.
func raised(e int) string {
	signs := []rune(superscripts)
	var out strings.Builder
	for _, r := range strconv.Itoa(e) {
		if r == '-' {
			out.WriteRune(signs[10])
		} else {
			out.WriteRune(signs[r-'0'])
		}
	}
	return out.String()
}

// multiples are those of 1, 2 or 5 times a power of ten between two numbers, at least three of them.
func multiples(lo, hi float64) (values []float64) {
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/3)))
	for _, f := range []float64{5, 2} {
		if (hi-lo)/(f*step) >= 3 {
			step *= f
			break
		}
	}
	for k := math.Ceil(lo / step); k*step <= hi && len(values) < 20; k++ {
		values = append(values, k*step+0) // -0 becomes 0
	}
	return values
}

// labelled writes multiples of a number in as few digits as tell them apart.
func labelled(values []float64, name string) (ticks []tick, newName string) {
	largest := 0.0
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	step, from, unit := largest, 0.0, 1.0
	if len(values) > 1 {
		step = values[1] - values[0]
	}
	if largest > 3e4*step {
		from = values[0]
		largest = values[len(values)-1] - from
		name += " - " + strconv.FormatFloat(from, 'g', 12, 64)
	}
	if e := int(math.Floor(math.Log10(largest) + 1e-9)); largest > 0 && (e >= 5 || e < -3) {
		unit = math.Pow(10, float64(e))
		name += " (×10" + raised(e) + ")"
	}
	digits := max(0, int(math.Ceil(-math.Log10(step/unit)-1e-9)))
	for _, v := range values {
		label := strconv.FormatFloat((v-from)/unit+0, 'f', min(digits, 12), 64)
		ticks = append(ticks, tick{value: v, label: label})
	}
	return ticks, strings.TrimSpace(name)
}
