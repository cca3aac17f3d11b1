// Package kernel holds symmetric functions of two rows.
//
// A [Kernel] stands for an inner product of images of the rows in some space:
// k(x,y) = <Phi(x),Phi(y)>. Each file holds one: its type, its methods, and the
// row that registers its name. Adding one is a new file and a new row in the
// table of kernel_test.go, which checks every law below. What a kernel can do beyond the
// methods of all, it declares: see capability.go.
package kernel

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Kernel is a symmetric function of two rows. All methods are pure and safe for
// concurrent use.
//
// Laws: Eval(x,y) has the bits of Eval(y,x), and those of the same rows stored
// the other way, dense or sparse; every matrix of values Eval(x_i,x_j) is
// positive semidefinite, up to rounding, unless the kernel is [IsIndefinite];
// |Eval(x,y) - k(x,y)| <= Error(m,xx,yy) for rows of at most m stored values
// and of squared norms at most xx and yy.
type Kernel interface {
	Eval(x, y matrix.Vector) float64
	Error(terms int, xx, yy float64) float64
}

// Prepare returns the rows of x as k takes them; a kernel that does not take every row has this method.
func Prepare(k Kernel, x matrix.Matrix, width int) (matrix.Matrix, error) {
	if err := CheckRows(k, x); err != nil {
		return nil, err
	}
	if p, ok := k.(preparer); ok {
		return p.Prepare(x, width)
	}
	return x, nil
}

// CheckRows refuses what is no kernel of some rows.
func CheckRows(k Kernel, x matrix.Matrix) error {
	if k == nil {
		return errors.New("kernel: found none, expected one, such as RBF{Gamma: 1}")
	}
	if f, ok := k.(Func); ok && f.Value == nil {
		return errors.New("kernel: found none of the caller's own, expected a Func with a Value")
	}
	if x == nil {
		return errors.New("kernel: found no rows, expected at least one")
	}
	return nil
}

var kernels = registry.New[Kernel]("kernel")

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// errorOf is the error of a kernel of which the size is known. What is added
// stands for results too small to be normal numbers.
func errorOf(k Sized, terms int, xx, yy float64) float64 {
	size := math.Sqrt(k.Size(terms, xx)) * math.Sqrt(k.Size(terms, yy))
	return float64(k.Relative(terms, xx, yy)*size*(1+64*unit)) + 0x1p-1000
}

// compounded bounds (1+t)^n - 1 for t n <= 1, the relative error of n factors
// that are off by t each.
func compounded(n, t float64) float64 { return float64(n * t * (1 + float64(n*t))) }

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
		far = elementary.Exp(off) * (1 + 0x1p-40)
	}
	return near, far
}
