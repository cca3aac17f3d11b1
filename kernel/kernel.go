// Package kernel holds symmetric functions of two rows, and the matrix that
// such a function makes of a set.
//
// A [Kernel] stands for an inner product of images of the rows in some space:
// k(x,y) = <Phi(x),Phi(y)>. Each file holds one: its type, its methods, and the
// row that registers its name. Adding one is a new file and a new row in the
// table of kernel_test.go, which checks every law below.
//
// A [Gram] computes rows of the matrix K_ij = k(x_i,x_j), counts them and keeps
// some. What is learned with them is the business of packages problem and
// solver/kernel.
package kernel

import (
	"errors"

	"github.com/fenchel-ml/fenchel/internal/registry"
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

// Inner is a kernel that depends on the rows through <x,y>, |x|^2 and |y|^2
// alone: many of its values are one matrix product.
//
// Laws: Of turns dst[j] = <x,y_j> into k(x,y_j), xx being |x|^2 and yy[j] being
// |y_j|^2, with the bits of Eval if all of these have those of [Linear]; Of32
// does so in single precision.
type Inner interface {
	Kernel
	Of(dst []float64, xx float64, yy []float64)
	Of32(dst []float32, xx float32, yy []float32)
}

// Indefinite is a kernel that is no inner product for some of its parameters:
// where Indefinite() is true, no duality bounds anything.
type Indefinite interface {
	Kernel
	Indefinite() bool
}

// IsIndefinite reports whether k says that it is no inner product.
func IsIndefinite(k Kernel) bool {
	i, ok := k.(Indefinite)
	return ok && i.Indefinite()
}

// Preparer is a kernel that does not take every row, or not as it is.
//
// Prepare returns the rows of x as Eval takes them, or else the first place
// that it cannot take. width is 0 for the rows of a training set, and else the
// number of columns of the prepared set that the rows are to be compared with.
//
// Laws: prepared rows are prepared to themselves; x is not written to.
type Preparer interface {
	Kernel
	Prepare(x matrix.Matrix, width int) (matrix.Matrix, error)
}

// Prepare returns the rows of x as k takes them; see [Preparer].
func Prepare(k Kernel, x matrix.Matrix, width int) (matrix.Matrix, error) {
	if err := checkRows(k, x); err != nil {
		return nil, err
	}
	if p, ok := k.(Preparer); ok {
		return p.Prepare(x, width)
	}
	return x, nil
}

// checkRows refuses what is no kernel of some rows.
func checkRows(k Kernel, x matrix.Matrix) error {
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
