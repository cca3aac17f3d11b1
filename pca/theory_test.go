package pca

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/pca/internal/algebra"
	"github.com/fenchel-ml/fenchel/vec"
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

// Bounds are those of all methods.
type Bounds []Bound

// A law is a bound as a function of T.
type law struct {
	name, formula string
	a, b          func(Setting) float64
}

var laws = []law{
	{"batch", "s (2 sqrt(k/n) + sqrt(2 ln(1/delta)/n) + sqrt(8 ln(2/delta)/n)), with probability 1 - 2 delta", func(s Setting) float64 {
		return s.Squared * (2*math.Sqrt(float64(s.K)) + math.Sqrt(-2*vec.Log(s.Doubt)) + math.Sqrt(-8*vec.Log(s.Doubt/2)))
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

// StepMSG is sqrt(2k/T)/G for T steps of MSG, G^2 = mean |x|^4: no two feasible M
// are farther apart than sqrt(2k).
func StepMSG(k, steps int, fourth float64) Schedule {
	return Constant{math.Sqrt(2*float64(k)/float64(steps)) / math.Sqrt(fourth)}
}

// StepAnytime is sqrt(k/t)/G for MSG when the number of steps is not known. It is
// also the upper end of the values that are good in practice: 2 to 4 times less
// was best in experiments.
func StepAnytime(k int, fourth float64) Schedule {
	return InverseRoot{math.Sqrt(float64(k)) / math.Sqrt(fourth)}
}

// StepEntropy is ln(1 + sqrt(2D/(T L*))), D = (d-k) ln(d/(d-k)), for T steps of
// Warmuth and Kuzmin's algorithm on rows of |x| <= 1, of which the best subspace
// leaves L* on average. L* = 0 would be an infinite step: T L* counts as at least
// 1e-6 of D.
func StepEntropy(d, k, steps int, loss float64) Schedule {
	distance := entropyDistance(d, k)
	total := max(float64(steps)*loss, 1e-6*distance)
	return Constant{vec.Log1p(math.Sqrt(2 * (distance / total)))}
}

// StepMirror is sqrt(B/T), B = ln(d/(d-k)), for T steps of the same algorithm by
// the general analysis of mirror descent.
func StepMirror(d, k, steps int) Schedule {
	return Constant{math.Sqrt(entropyDistance(d, k) / float64(d-k) / float64(steps))}
}

// entropyDistance returns (d-k) ln(d/(d-k)), at most k: d-k times the relative
// entropy from I/d to the projections on d-k directions.
func entropyDistance(d, k int) float64 {
	rest := float64(d - k)
	return rest * vec.Log1p(float64(k)/rest)
}

// Regret is what an online learner lost beside the best fixed subspace in
// hindsight (thesis 4.1.3; reference 1.6). Each row x is judged before the update
// by it, for any sequence of rows, also an adversary's:
//
//	R_T = (1/T) sum_t (|x_t|^2 - x_t^T M_t x_t) - sum_{i>k} lambda_i
//
// with the eigenvalues lambda of (1/T) sum_t x_t x_t^T. In units of W, where
// M = I - (d-k) W, it is R_T/(d-k). It keeps d x d numbers.
type Regret struct {
	d, k   int
	rows   int
	loss   vec.Sum   // sum of |x|^2 - x^T M x
	second []float64 // sum of x x^T
}

// NewRegret is for rows of d numbers and subspaces of k < d dimensions.
func NewRegret(d, k int) *Regret { return &Regret{d: d, k: k, second: make([]float64, d*d)} }

// AddM takes a row and x^T M x of the M before it.
func (r *Regret) AddM(x []float64, captured float64) {
	r.loss.Add(vec.SquaredNorm64(x))
	r.loss.Add(-captured)
	r.add(x)
}

// AddW takes a row and x^T W x of the W before it.
func (r *Regret) AddW(x []float64, loss float64) {
	r.loss.Add(float64(r.d-r.k) * loss)
	r.add(x)
}

func (r *Regret) add(x []float64) {
	r.rows++
	for i, v := range x {
		vec.Axpy64(r.second[i*r.d:(i+1)*r.d], v, x)
	}
}

// Best returns the mean loss of the best fixed subspace: L* of the bounds.
func (r *Regret) Best() float64 {
	value := make([]float64, r.d)
	new(algebra.Eigensystem).Decompose(value, append([]float64{}, r.second...), r.d)
	var sum vec.Sum
	for _, v := range value[r.k:] {
		sum.Add(max(v, 0))
	}
	return sum.Value() / float64(max(r.rows, 1))
}

// Mean returns R_T, 0 before the first row.
func (r *Regret) Mean() float64 { return r.loss.Value()/float64(max(r.rows, 1)) - r.Best() }

// MeanW returns R_T in units of W.
func (r *Regret) MeanW() float64 { return r.Mean() / float64(r.d-r.k) }
