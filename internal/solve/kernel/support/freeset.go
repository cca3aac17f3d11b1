package support

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// FreeSet is the set S of rows whose coefficients are between their bounds, with the Cholesky factor of K' in
// these rows, which changes by a row at a time. K' = K + shift 1 1^T has the same steps as K where the
// coefficients add up to what they are to, and is regular where K_SS alone need not be.
type FreeSet struct {
	Rows  []int // in the order of the factor
	Place []int // of each row in Rows; -1: it is at a bound

	gram    *gram.Gram // rows in double precision
	shift   float64    // K' - K of the gram
	bias    bool       // it is free: the coefficients have a sum
	factor  quadratic.Factor
	changes int // of the factor since it was made
}

// NewFreeSet returns the empty set of n rows.
func NewFreeSet(g *gram.Gram, n int, shift float64, bias bool) FreeSet {
	return FreeSet{Place: slices.Repeat([]int{-1}, n), gram: g, shift: shift, bias: bias}
}

// Add adds row i, or returns false where K' of the set determines it. Then moving the set against d, while
// row i moves by 1, meets no curvature, and keeps the sum if the bias is free.
func (s *FreeSet) Add(i int) (d []float64, ok bool) {
	column := s.gram.Elements(make([]float64, 0, len(s.Rows)+1), i, append(slices.Clone(s.Rows), i))
	for k := range column {
		column[k] += s.shift
	}
	own := column[len(s.Rows)]
	l := s.factor.Forward(column[:len(s.Rows)])
	if s.factor.Add(l, own) {
		s.Place[i] = len(s.Rows)
		s.Rows = append(s.Rows, i)
		s.changes++
		return nil, true
	}
	if d = s.factor.Backward(l); s.bias {
		u := s.ones()
		vec.Axpy64(d, (1-vec.Total(d))/vec.Total(u), u)
	}
	return d, false
}

// ones solves K'_SS u = 1.
func (s *FreeSet) ones() []float64 { return s.factor.Solve(slices.Repeat([]float64{1}, len(s.Rows))) }

// Solve solves K_SS d + b 1 = right with the sum of d as given if the bias is free; else b is 0, and the
// matrix K'_SS.
func (s *FreeSet) Solve(right []float64, sum float64) (d []float64, b float64) {
	d = s.factor.Solve(right)
	if !s.bias {
		return d, 0
	}
	u := s.ones()
	multiplier := (vec.Total(d) - sum) / vec.Total(u) // b - shift sum d
	vec.Axpy64(d, -multiplier, u)
	return d, multiplier + float64(s.shift*sum)
}

// Remove takes out the row at a place, and returns it.
func (s *FreeSet) Remove(at int) (row int) {
	row = s.Rows[at]
	s.factor.Remove(at)
	s.changes++
	s.Rows, s.Place[row] = slices.Delete(s.Rows, at, at+1), -1
	for k, i := range s.Rows[at:] {
		s.Place[i] = at + k
	}
	return row
}

// Clear empties the set.
func (s *FreeSet) Clear() {
	for _, i := range s.Rows {
		s.Place[i] = -1
	}
	s.factor, s.Rows, s.changes = quadratic.Factor{}, nil, 0
}

// IsWorn reports whether the factor should be made anew, as rotations add up roundings.
func (s *FreeSet) IsWorn() bool { return s.changes > 200 }
