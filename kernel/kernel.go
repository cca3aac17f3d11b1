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
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/registry"
)

// Kernel is a symmetric function of two rows. All methods are pure and safe for
// concurrent use.
//
// Laws: Eval(x,y) has the bits of Eval(y,x), and those of the same rows stored
// the other way, dense or sparse; every matrix of values Eval(x_i,x_j) is
// positive semidefinite, up to rounding, unless the kernel is [Indefinite];
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
// |y_j|^2, with the bits of Eval; Of32 does so in single precision.
type Inner interface {
	Kernel
	Of(dst []float64, xx float64, yy []float64)
	Of32(dst []float32, xx float32, yy []float32)
}

// Indefinite marks a kernel that is no inner product for some of its
// parameters: no duality then bounds anything.
type Indefinite interface {
	Kernel
	Indefinite() // does nothing
}

var kernels = registry.New[Kernel]("kernel")

// New makes the kernel that spec describes: a name, or "name:key=value".
func New(spec string) (Kernel, error) { return kernels.New(spec) }

// Entries lists the kernels by name.
func Entries() []registry.Entry[Kernel] { return kernels.Entries() }

// unit is the largest relative error of one rounding.
const unit = 0x1p-53
