package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Func is a kernel of the caller's own. Value must be symmetric. Definite says that it
// is an inner product by construction: a certificate is worth as much as this promise,
// which [Check] can refute. Without it the matrix of every training set is factored,
// and nothing is certified where that does not prove it positive semidefinite.
//
// Largest and Rounding state Size and Relative of [Sized]. Without them nothing
// is known of how accurate Value is, and nothing is certified.
type Func struct {
	Value    func(x, y matrix.Vector) float64
	Largest  func(terms int, xx float64) float64
	Rounding func(terms int, xx, yy float64) float64
	Definite bool
}

var (
	_ Sized    = Func{}
	_ Unproved = Func{}
)

// Eval returns Value.
func (k Func) Eval(x, y matrix.Vector) float64 { return k.Value(x, y) }

// Unproved reports that k is not Definite by construction.
func (k Func) Unproved() bool { return !k.Definite }

// Size returns Largest.
func (k Func) Size(terms int, xx float64) float64 {
	if k.Largest == nil {
		return math.Inf(1)
	}
	return k.Largest(terms, xx)
}

// Relative returns Rounding.
func (k Func) Relative(terms int, xx, yy float64) float64 {
	if k.Rounding == nil {
		return math.Inf(1)
	}
	return k.Rounding(terms, xx, yy)
}

// Error is Relative times the sizes.
func (k Func) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
