package kernel

import "math"

// Decaying is a kernel exp(-t(x,y)) of a distance t, whose error is small where its
// value is. Rows far from 0 and near each other have an error of t that is large
// against t; its part in a sum counts for near rows alone.
//
// Law: |Eval(x,y) - k(x,y)| <= Ratio(m,xx,yy) Eval(x,y) + 2^-1000 for rows as Error
// takes them. Ratio may be +Inf.
type Decaying interface {
	Kernel
	Ratio(terms int, xx, yy float64) float64
}

var (
	_ Decaying = RBF{}
	_ Decaying = Laplacian{}
	_ Decaying = Chi2{}
)

// Ratio is that of exp for the error of the exponent.
func (k RBF) Ratio(terms int, xx, yy float64) float64 { return ratioOf(k.exponentError(terms, xx, yy)) }

// Ratio is that of exp for the error of the exponent.
func (k Laplacian) Ratio(terms int, xx, yy float64) float64 {
	return ratioOf(k.Gamma * distanceError(terms, 0, xx, yy))
}

// Ratio is that of exp for the error of the exponent.
func (k Chi2) Ratio(terms int, xx, yy float64) float64 {
	return ratioOf(k.Gamma * distanceError(terms, 2, xx, yy))
}

// ratioOf bounds how far exp is off relative to itself, for an exponent above -746 that
// is off by off and the roundings of a product, and for a few of the value.
func ratioOf(off float64) float64 {
	if off += 2000 * unit; !(off <= 1) {
		return math.Inf(1)
	}
	return float64(off * (1 + off))
}
