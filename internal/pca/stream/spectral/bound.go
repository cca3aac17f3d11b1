package spectral

import (
	"fmt"
	"math"

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
	Cols    int     `json:"d"`
	K       int     `json:"k"`
	Loss    float64 `json:"loss"`         // L*, the mean loss of the best subspace: sum_{i>k} lambda_i
	Squared float64 `json:"squared_norm"` // the largest |x|^2
	Fourth  float64 `json:"fourth_norm"`  // the mean of |x|^4
	Doubt   float64 `json:"delta"`        // the batch bound holds with probability 1 - 2 delta
}

// A Bound is one promise.
type Bound struct {
	Name    string
	Formula string
	Value   float64 // epsilon, or the number of rows that is enough
}

// A law is a bound as a function of T.
type law struct {
	name, formula string
	a, b          func(Setting) float64
}

var laws = []law{
	{"batch (SAA)", "s (2 sqrt(k/n) + sqrt(2 ln(1/delta)/n) + sqrt(8 ln(2/delta)/n)), with probability 1 - 2 delta", func(s Setting) float64 {
		return s.Squared * (2*math.Sqrt(float64(s.K)) + math.Sqrt(-2*elementary.Log(s.Doubt)) + math.Sqrt(-8*elementary.Log(s.Doubt/2)))
	}, none},
	{"warmuth-kuzmin", "2 sqrt(s L* k/T) + s k/T", func(s Setting) float64 {
		return 2 * math.Sqrt(s.Squared*s.Loss*float64(s.K))
	}, func(s Setting) float64 { return s.Squared * float64(s.K) }},
	{"warmuth-kuzmin, explicit step", "sqrt(2 s L* D/T) + s D/T, D = (d-k) ln(d/(d-k)), eta = ln(1 + sqrt(2 s D/(T L*)))/s", func(s Setting) float64 {
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
func ErrorAfter(s Setting, rows float64) ([]Bound, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if !(rows >= 1 && rows <= 1e300) {
		return nil, fmt.Errorf("n %g: expected a number of rows >= 1", rows)
	}
	return s.bounds(func(a, b float64) float64 { return a/math.Sqrt(rows) + b/rows }), nil
}

// entropyDistance returns (d-k) ln(d/(d-k)), at most k: d-k times the relative
// entropy from I/d to the projections on d-k directions.
func entropyDistance(d, k int) float64 {
	rest := float64(d - k)
	return rest * elementary.Log1p(float64(k)/rest)
}

// RowsFor returns how many rows are enough for every method to promise epsilon:
// with y = 1/sqrt(T) the positive root of b y^2 + a y = epsilon.
func RowsFor(s Setting, epsilon float64) ([]Bound, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if !(epsilon >= 1e-100 && epsilon <= 1e100) {
		return nil, fmt.Errorf("accuracy %g: expected a number from 1e-100 to 1e100", epsilon)
	}
	return s.bounds(func(a, b float64) float64 {
		root := (a + math.Sqrt(float64(a*a)+float64(4*b*epsilon))) / (2 * epsilon) // 1/y
		return math.Max(1, math.Ceil(root*root))
	}), nil
}

func (s Setting) bounds(value func(a, b float64) float64) []Bound {
	var out []Bound
	for _, l := range laws {
		out = append(out, Bound{l.name, l.formula, value(l.a(s), l.b(s))})
	}
	return out
}

// check refuses what no bound holds for.
func (s Setting) check() error {
	if s.Cols < 2 {
		return fmt.Errorf("d %d: expected a number of features >= 2", s.Cols)
	}
	if s.K < 1 || s.K >= s.Cols {
		return fmt.Errorf("components %d: expected 1 to %d, fewer than the %d features", s.K, s.Cols-1, s.Cols)
	}
	for _, v := range []struct {
		name     string
		value    float64
		lo, hi   float64
		expected string
	}{
		{"loss", s.Loss, 0, 1e100, "a number >= 0, at most 1e100"},
		{"squared-norm", s.Squared, 1e-100, 1e100, "a number from 1e-100 to 1e100"},
		{"fourth-norm", s.Fourth, 1e-200, 1e200, "a number from 1e-200 to 1e200"},
		{"delta", s.Doubt, 1e-300, 0.5, "a number from 1e-300 to 1/2"},
	} {
		if !(v.value >= v.lo && v.value <= v.hi) {
			return fmt.Errorf("%s %g: expected %s", v.name, v.value, v.expected)
		}
	}
	return nil
}
