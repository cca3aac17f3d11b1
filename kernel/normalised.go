package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Normalise returns the kernel k(x,y) / sqrt(k(x,x) k(y,y)), the cosine of the
// angle between the images: rows of any length count the same. It is 0 where
// k(x,x) or k(y,y) is. A value costs three of k, but one in a matrix; k must be [Sized] and an inner
// product.
func Normalise(k Kernel) (Kernel, error) {
	s, ok := k.(Sized)
	if !ok {
		return nil, fmt.Errorf("kernel: found the kernel %s to normalise, expected one with a known size", Name(k))
	}
	if IsIndefinite(k) {
		return nil, fmt.Errorf("kernel: found the kernel %s to normalise, expected an inner product: k(x,x) may be negative", Name(k))
	}
	if isPrecomputed(k) {
		return nil, errors.New("kernel: found precomputed values to normalise, expected a kernel of rows: a row to be compared has no value with itself in such a matrix; normalise the matrix before")
	}
	return normalised{s}, nil
}

// isPrecomputed reports whether k takes values from a matrix. The value of a row to
// be compared with itself does not stand there.
func isPrecomputed(k Kernel) bool {
	switch k := k.(type) {
	case Precomputed:
		return true
	case innerCombination:
		return false
	case combination:
		return slices.ContainsFunc(k.parts, func(part Sized) bool { return isPrecomputed(part) })
	}
	return false
}

// normalised is f(x) k(x,y) f(y), where f(x) is 1/sqrt(Eval(x,x)), or 0: what
// this is of rounded numbers is a part of its definition, not of its error, and
// f k f is an inner product for any f.
type normalised struct{ of Sized }

var (
	_ Featured = normalised{}
	_ Sized    = normalised{}
	_ preparer = normalised{}
)

// LeastSelf is the value of a row with itself below which it is taken for 0, and a normalised
// kernel is 0: its root divides without loss.
const LeastSelf = 0x1p-700

func (k normalised) Eval(x, y matrix.Vector) float64 {
	xx, yy := k.of.Eval(x, x), k.of.Eval(y, y)
	if xx < LeastSelf || yy < LeastSelf {
		return 0
	}
	return k.between(k.of.Eval(x, y), xx, yy)
}

// between is Eval, k(x,y), k(x,x) and k(y,y) being known, the latter not taken for 0.
func (normalised) between(xy, xx, yy float64) float64 {
	return xy / float64(math.Sqrt(xx)*math.Sqrt(yy))
}

func (k normalised) Prepare(x matrix.Matrix, width int) (matrix.Matrix, error) {
	return Prepare(k.of, x, width)
}

// Size is 1, and what k(x,x) may have been rounded by.
func (k normalised) Size(terms int, xx float64) float64 {
	return 1 + 2*k.of.Relative(terms, xx, xx)
}

// Relative is that of k and a few roundings.
func (k normalised) Relative(terms int, xx, yy float64) float64 {
	most := max(xx, yy)
	r := k.of.Relative(terms, most, most)
	return (r + 5*unit) * (1 + float64(4*r))
}

func (k normalised) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }

func (k normalised) Features(x matrix.Matrix) (*matrix.CSR, Inner) {
	of, ok := k.of.(Featured)
	if !ok {
		return nil, nil
	}
	c, inner := of.Features(x)
	if _, product := inner.(Linear); !product {
		return nil, nil
	}
	return c, cosine{}
}

// cosine is normalised(linear) of counts.
type cosine struct{ Linear }

// Of divides as normalised does.
func (cosine) Of(dst []float64, xx float64, yy []float64) {
	for j, d := range dst {
		if dst[j] = 0; xx >= LeastSelf && yy[j] >= LeastSelf {
			dst[j] = d / float64(math.Sqrt(xx)*math.Sqrt(yy[j]))
		}
	}
}
