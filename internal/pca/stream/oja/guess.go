package oja

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A guess is what the methods of O(k d) memory have in common: U, which
// begins at random and is moved by every row.
type guess struct {
	k, d int
	unit float64    // rows are multiplied by it, so that |x|^2 is 1 on average
	t    int        // rows so far
	u    []float64  // k x d
	x    view.Point // the row at hand
}

func newGuess(p method.Problem) guess {
	k := min(p.K, p.Cols)
	return guess{k: k, d: p.Cols, unit: p.Unit(), u: algebra.RandomBasis(p.Seed, k, p.Cols)}
}

// next takes row i of x and returns its squared length. Of a row 10^60 times as
// long as usual it takes a shorter one: all steps have a longest length, which
// both exceed, and so no square overflows.
func (s *guess) next(x view.Rows, i int) (squared float64) {
	s.t++
	squared = s.x.Set(x, i, s.unit)
	for !(squared <= 0x1p400) {
		for l, v := range s.x.Value {
			s.x.Value[l] = max(-math.MaxFloat64, min(v, math.MaxFloat64)) * 0x1p-100
		}
		squared = vec.SquaredNorm64(s.x.Value)
	}
	return squared
}

// row returns row j of U.
func (s *guess) row(j int) []float64 { return s.u[j*s.d : (j+1)*s.d] }

// Basis returns U, made orthonormal.
func (s *guess) Basis() method.Basis {
	u := append([]float64{}, s.u...)
	algebra.Orthonormalise(u, s.k, s.d)
	return method.Basis{K: s.k, Cols: s.d, Component: u}
}

// Keep visits U and the time.
func (s *guess) Keep(k *method.Kept) { s.keep(k, 1e9) }

// keep visits U, of which no number is larger than most, and the time.
func (s *guess) keep(k *method.Kept, most float64) {
	k.Count("rows", &s.t)
	k.List("directions", &s.u)
	k.Require(len(s.u) == s.k*s.d, "state: found %d numbers of directions, expected %d times %d", len(s.u), s.k, s.d)
	for _, v := range s.u {
		k.Require(math.Abs(v) <= most, "state: directions: found %v, expected numbers up to %g", v, most)
	}
}
