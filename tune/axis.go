package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Axis is a parameter and the values that it takes, as they are spelled.
type Axis struct {
	Key    string
	Values []string
}

// mostCandidates is how many candidates a search may have.
const mostCandidates = 100_000

// ParseAxes reads parameters with their values, separated by spaces:
//
//	C=2^-5..2^15           powers from the first to the last: of 2, each four times the one
//	                       before, as LIBSVM's grid.py has them; of 10, or of plain numbers,
//	                       each ten times the one before
//	C=2^-5..2^15*2         each twice the one before
//	C=1e-3..1e3/13         13 values, evenly in the logarithm
//	nu=0.1..0.9+0.2        each 0.2 more than the one before; degree=2..5 in steps of 1
//	C=0.1,1,10             these
//	loss=hinge,logistic    names too
//
// The last value is always among those of a range.
func ParseAxes(text string) ([]Axis, error) {
	var axes []Axis
	for _, word := range strings.Fields(text) {
		key, values, ok := strings.Cut(word, "=")
		if !ok || key == "" || values == "" {
			return nil, fmt.Errorf("search: found %q, expected PARAMETER=VALUES, such as C=2^-5..2^15 or C=0.1,1,10", word)
		}
		if slices.ContainsFunc(axes, func(a Axis) bool { return a.Key == key }) {
			return nil, fmt.Errorf("search: found %s twice, expected each parameter once", key)
		}
		axis := Axis{Key: key}
		for part := range splitValues(values) {
			more, err := parseValues(key, part)
			if err != nil {
				return nil, err
			}
			axis.Values = append(axis.Values, more...)
		}
		for k, v := range axis.Values {
			if slices.Contains(axis.Values[:k], v) {
				return nil, fmt.Errorf("search: %s: found the value %s twice, expected each once", key, v)
			}
		}
		axes = append(axes, axis)
	}
	return axes, nil
}

// splitValues cuts a list at its commas, but for those between the parameters of one value,
// as in elastic-net:ratio=0.5,l1.
func splitValues(values string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		parts := strings.Split(values, ",")
		for k := 0; k < len(parts); {
			word := parts[k]
			for k++; k < len(parts) && strings.Contains(word, ":") && strings.Contains(parts[k], "=") && !strings.Contains(parts[k], ":"); k++ {
				word += "," + parts[k]
			}
			if !yield(word) {
				return
			}
		}
	}
}

// parseValues reads one value, or a range of numbers.
func parseValues(key, text string) ([]string, error) {
	from, rest, isRange := strings.Cut(text, "..")
	if !isRange {
		if text == "" {
			return nil, fmt.Errorf("search: %s: found an empty value, expected one between commas", key)
		}
		if x, ok := power(text); ok {
			return []string{spell(x)}, nil
		}
		return []string{text}, nil
	}
	r, err := parseRange(key, from, rest)
	if err != nil {
		return nil, fmt.Errorf("search: %s=%s: %w", key, text, err)
	}
	return r.values()
}

// grid is a range of numbers.
type grid struct {
	lo, hi float64
	base   float64 // 0: evenly, by step; else evenly in the logarithm
	step   float64 // difference from one value to the next, or the factor
	count  int     // 0: by the step
}

// byStep are the parameters that are searched evenly unless something else is asked for.
var byStep = map[string]float64{"degree": 1, "nu": 0.1}

// parseRange reads what stands around the two dots.
func parseRange(key, from, rest string) (g grid, err error) {
	to, how := rest, ""
	if at := strings.LastIndexAny(rest, "*/+"); at > 0 && !strings.HasSuffix(rest[:at], "e") {
		to, how = rest[:at], rest[at:]
	}
	var okLo, okHi bool
	g.lo, okLo = power(from)
	g.hi, okHi = power(to)
	switch {
	case !okLo || !okHi:
		return g, fmt.Errorf("expected numbers on both sides of the dots, such as 2^-5..2^15 or 0.1..100")
	case g.lo >= g.hi:
		return g, fmt.Errorf("found an empty range, expected the smaller number first")
	}
	g.base, g.step = 10, 10
	if strings.HasPrefix(from, "2^") {
		g.base, g.step = 2, 4
	}
	if step, even := byStep[key]; even {
		g.base, g.step = 0, step
	}
	if err := g.parseHow(how); err != nil {
		return g, err
	}
	if g.base > 0 && g.lo <= 0 {
		return g, fmt.Errorf("found %g in a range of powers, expected numbers > 0 (or a step, as in 0..1+0.1)", g.lo)
	}
	return g, nil
}

// parseHow reads the factor, the step or the number of values.
func (g *grid) parseHow(how string) error {
	if how == "" {
		return nil
	}
	x, ok := power(how[1:])
	switch {
	case ok && how[0] == '*' && x > 1:
		g.base, g.step = max(g.base, 2), x
	case ok && how[0] == '+' && x > 0:
		g.base, g.step = 0, x
	case ok && how[0] == '/' && x >= 2 && x == math.Trunc(x) && x <= mostCandidates:
		g.count = int(x)
	default:
		return fmt.Errorf("found %q after the range, expected a factor > 1 as *2, a step > 0 as +0.1, or a number of values of at least 2 as /7", how)
	}
	return nil
}

// values spells the numbers of the range.
func (g grid) values() ([]string, error) {
	at := func(x float64) float64 { return x }
	back := at
	lo, hi, step := g.lo, g.hi, g.step
	if g.base > 0 {
		at, back = math.Log2, math.Exp2
		lo, hi, step = at(lo), at(hi), at(step)
	}
	count := g.count
	if count == 0 {
		if (hi-lo)/step > mostCandidates {
			return nil, fmt.Errorf("search: found more than %d values in a range, expected fewer", mostCandidates)
		}
		count = int(math.Ceil((hi-lo)/step-1e-9)) + 1
	} else {
		step = (hi - lo) / float64(count-1)
	}
	values := make([]string, count)
	for k := range values {
		values[k] = spell(rounded(back(lo + float64(float64(k)*step))))
	}
	values[0], values[count-1] = spell(g.lo), spell(g.hi)
	return values, nil
}

// rounded takes off what the last digits of a logarithm add.
func rounded(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return short
}

// power reads a finite number, also as 2^-5 or 10^3.
func power(text string) (float64, bool) {
	if base, exponent, ok := strings.Cut(text, "^"); ok {
		e, err := strconv.ParseFloat(exponent, 64)
		x := math.NaN()
		switch base {
		case "2":
			x = math.Exp2(e)
		case "10":
			x = rounded(math.Pow(10, e))
		}
		return x, err == nil && x-x == 0
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && x-x == 0
}

// spell writes a number in as few digits as it needs.
func spell(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
