package spectral

import (
	"fmt"
	"math"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// What the theory promises after T rows, in captured variance:
//
//	epsilon <= a/sqrt(T) + b/T
//
// with constants as corrected in the reference (errata E9 to E11, E20; sharper
// ones of 2.6 and 2.8). All but the first are about the mean of the iterates, or
// the expectation for one drawn uniformly, not about the last. In the formulas s is
// the largest |x|^2 and G^2 the mean of |x|^4.

// A Setting is what the bounds depend on.
type Setting struct {
	Cols, K int
	Loss    float64 // L*, the mean loss of the best subspace: sum_{i>k} lambda_i
	Squared float64 // the largest |x|^2
	Fourth  float64 // the mean of |x|^4
	Doubt   float64 // delta: the batch bound holds with probability 1 - 2 delta
}

// A Bound is one promise.
type Bound struct {
	Name    string
	Formula string
	Value   float64 // epsilon, or the number of rows that is enough
}

// Bounds prints as a table.
type Bounds []Bound

// A law is a bound as a function of T.
type law struct {
	name, formula string
	a, b          func(Setting) float64
}

var laws = []law{
	{"batch", "s (2 sqrt(k/n) + sqrt(2 ln(1/delta)/n) + sqrt(8 ln(2/delta)/n)), with probability 1 - 2 delta", func(s Setting) float64 {
		return s.Squared * (2*math.Sqrt(float64(s.K)) + math.Sqrt(-2*elementary.Log(s.Doubt)) + math.Sqrt(-8*elementary.Log(s.Doubt/2)))
	}, none},
	{"wk", "2 sqrt(s L* k/T) + s k/T", func(s Setting) float64 {
		return 2 * math.Sqrt(s.Squared*s.Loss*float64(s.K))
	}, func(s Setting) float64 { return s.Squared * float64(s.K) }},
	{"wk, explicit step", "sqrt(2 s L* D/T) + s D/T, D = (d-k) ln(d/(d-k)), eta = ln(1 + sqrt(2 s D/(T L*)))/s", func(s Setting) float64 {
		return math.Sqrt(2 * s.Squared * s.Loss * entropyDistance(s.Cols, s.K))
	}, func(s Setting) float64 { return s.Squared * entropyDistance(s.Cols, s.K) }},
	{"mirror descent", "2 s sqrt((d-k) D/T), eta = sqrt(D/((d-k) T))/s", func(s Setting) float64 {
		return 2 * s.Squared * math.Sqrt(float64(s.Cols-s.K)*entropyDistance(s.Cols, s.K))
	}, none},
	{"mirror descent, simpler", "2 s sqrt(k (d-k)/T), eta = sqrt(k/((d-k) T))/s", func(s Setting) float64 {
		return 2 * s.Squared * math.Sqrt(float64(s.K)*float64(s.Cols-s.K))
	}, none},
	{"msg, as first proved", "2 G sqrt(k/T), eta = 2 sqrt(k/T)/G", func(s Setting) float64 {
		return 2 * math.Sqrt(s.Fourth*float64(s.K))
	}, none},
	{"msg", "G sqrt(2k/T), eta = sqrt(2k/T)/G", func(s Setting) float64 {
		return math.Sqrt(2 * s.Fourth * float64(s.K))
	}, none},
	{"msg from (k/d) I", "G sqrt(k (1-k/d)/T), eta = sqrt(k (1-k/d)/T)/G", func(s Setting) float64 {
		return math.Sqrt(s.Fourth * float64(s.K) * float64(s.Cols-s.K) / float64(s.Cols))
	}, none},
	{"msg, T not known", "2 G sqrt(k/T), eta = sqrt(k/t)/G", func(s Setting) float64 {
		return 2 * math.Sqrt(s.Fourth*float64(s.K))
	}, none},
}

func none(Setting) float64 { return 0 }

// ErrorAfter returns what every method promises after so many rows.
func ErrorAfter(s Setting, rows float64) (Bounds, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if !(rows >= 1 && rows <= 1e300) {
		return nil, fmt.Errorf("bound: %v rows: expected at least 1", rows)
	}
	return s.bounds(func(a, b float64) float64 { return a/math.Sqrt(rows) + b/rows }), nil
}

// RowsFor returns how many rows are enough for every method to promise epsilon:
// with y = 1/sqrt(T) the positive root of b y^2 + a y = epsilon.
func RowsFor(s Setting, epsilon float64) (Bounds, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if !(epsilon >= 1e-100 && epsilon <= 1e100) {
		return nil, fmt.Errorf("bound: epsilon %v: expected a number > 0, at most 1e100", epsilon)
	}
	return s.bounds(func(a, b float64) float64 {
		root := (a + math.Sqrt(float64(a*a)+float64(4*b*epsilon))) / (2 * epsilon) // 1/y
		return math.Max(1, math.Ceil(root*root))
	}), nil
}

func (s Setting) bounds(value func(a, b float64) float64) Bounds {
	var out Bounds
	for _, l := range laws {
		out = append(out, Bound{l.name, l.formula, value(l.a(s), l.b(s))})
	}
	return out
}

// check refuses what no bound holds for.
func (s Setting) check() error {
	if s.K < 1 || s.K >= s.Cols {
		return fmt.Errorf("bound: k = %d of %d features, expected from 1 to %d", s.K, s.Cols, s.Cols-1)
	}
	for _, v := range []struct {
		name     string
		value    float64
		lo, hi   float64
		expected string
	}{
		{"L*", s.Loss, 0, 1e100, "a number >= 0, at most 1e100"},
		{"largest |x|^2", s.Squared, 1e-100, 1e100, "a number > 0, at most 1e100"},
		{"mean |x|^4", s.Fourth, 1e-200, 1e200, "a number > 0, at most 1e200"},
		{"delta", s.Doubt, 1e-300, 0.5, "a number > 0, at most 1/2"},
	} {
		if !(v.value >= v.lo && v.value <= v.hi) {
			return fmt.Errorf("bound: %s = %v: expected %s", v.name, v.value, v.expected)
		}
	}
	return nil
}

// String returns the bounds as lines of name, value and formula.
func (b Bounds) String() string {
	width := 0
	for _, l := range b {
		width = max(width, len(l.Name))
	}
	var text strings.Builder
	for _, l := range b {
		fmt.Fprintf(&text, "%-*s  %-11.5g  %s\n", width, l.Name, l.Value, l.Formula)
	}
	return text.String()
}
