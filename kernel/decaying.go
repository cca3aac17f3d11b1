package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Decaying is a kernel exp(-t(x,y)) of a distance t, whose error is small where its
// value is. Rows far from 0 and near each other have an error of t that is large
// against t; its part in a sum counts for near rows alone.
//
// Laws, for rows as Error takes them: |Eval(x,y) - k(x,y)| is at most
//
//	near Eval(x,y) + 2^-50,  and  far Eval(x,y) + Vanishing.
//
// Either may be +Inf. Eval(x,x) is 1, which is exact: t(x,x) is 0.
type Decaying interface {
	Kernel
	Ratios(terms int, xx, yy float64) (near, far float64)
}

// Vanishing bounds the error of values that underflow, whatever the error of their exponents is.
const Vanishing = 0x1p-150

var (
	_ Decaying = RBF{}
	_ Decaying = Laplacian{}
	_ Decaying = Chi2{}
)

// Ratios are those of exp for the error of the exponent.
func (k RBF) Ratios(terms int, xx, yy float64) (near, far float64) {
	return ratiosOf(k.exponentError(terms, xx, yy))
}

// Ratios are those of exp for the error of the exponent.
func (k Laplacian) Ratios(terms int, xx, yy float64) (near, far float64) {
	return ratiosOf(k.Gamma * distanceError(terms, 0, xx, yy))
}

// Ratios are those of exp for the error of the exponent.
func (k Chi2) Ratios(terms int, xx, yy float64) (near, far float64) {
	return ratiosOf(k.Gamma * distanceError(terms, 2, xx, yy))
}

// ratiosOf bounds how far exp(-t) is off relative to itself, where t is off by off, and then by
// u t, u = 2^-53, as a product was rounded.
//
// As e^off - 1 <= off (1 + off) for off <= 1, far adds u t, t < 746, and a few roundings of the
// value to off. What u t does to the value is below u t e^(-t) < 0.4 u (1 + off), whatever t is:
// with the roundings of the value less than the 8 u that near leaves aside.
//
// For off up to 600, which is less than 866 log 2: where the computed value is below 2^-1022, the
// exact one is below 2^(866-1022) < Vanishing; any other is off by at most e^off - 1 times itself.
// So the values of rows far from 0 and from each other are bounded near 0, although their
// computed distance is inexact.
func ratiosOf(off float64) (near, far float64) {
	near, far = math.Inf(1), math.Inf(1)
	if off <= 0x1p-20 {
		near = float64(off * (1 + 2*off))
	}
	switch off += 2000 * unit; {
	case off <= 1:
		far = float64(off * (1 + off))
	case off <= 600:
		far = vec.Exp(off) * (1 + 0x1p-40)
	}
	return near, far
}
