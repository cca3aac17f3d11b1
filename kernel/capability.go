package kernel

import (
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// What a kernel can do beyond the methods of all it declares here, and what computes or
// proves matrices of it asks for that, and names no type.
//
//	Inner, Overlap, Featured  how many values are computed together
//	Prepare, Structure        which rows it takes
//	Sized, Decaying           how large its values and their errors are
//	Indefinite, Unproved      whether it is an inner product
//	Shifted                   what makes it one

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

// Overlap is a kernel that depends on the rows through what they have in
// common, m(x,y) = sum_j m(x_j,y_j) with m(a,0) = 0, and through |x|_1 and |y|_1.
// Of two rows only the columns matter that neither lacks, and many values are
// computed in tiles as those of [Inner] kernels are, in double precision: m
// stands for the product, and m(a,a) = |a| for the square.
//
//	|a-b|         = |a| + |b| - 2 m(a,b),  m the least magnitude, 0 if the signs differ
//	(a-b)^2/(a+b) =  a  +  b  - 2 m(a,b),  m the harmonic mean 2ab/(a+b), for a, b >= 0
//
// Laws: Tile sets dst as tiles.Sparse64 does, with the bits of m; Of turns
// dst[j] = m(x,y_j) into k(x,y_j) with the bits of Eval, xx being |x|_1 and
// yy[j] being |y_j|_1.
type Overlap interface {
	Kernel
	Tile(dst []float64, at []int, block []float64, width int, slot []uint32, start []int64, index []uint32, value []float32)
	Of(dst []float64, xx float64, yy []float64)
}

// Featured is a kernel that counts what two rows have in common, such as
// substrings: the inner product of as many counts as there are kinds.
//
// Features returns the counts of each row, a column for each kind that occurs,
// and the kernel that k is of them; nil where a count is too large to be exact.
// All sums are whole numbers below 2^53, so that values have the bits of Eval.
// Made once for a set, they cost its rows' length; a value then costs as much as
// any product of sparse rows.
type Featured interface {
	Kernel
	Features(x matrix.Matrix) (*matrix.CSR, Inner)
}

// preparer is a kernel that does not take every row, or not as it is.
//
// Prepare returns the rows of x as Eval takes them, or else the first place
// that it cannot take. width is 0 for the rows of a training set, and else the
// number of columns of the prepared set that the rows are to be compared with.
//
// Laws: prepared rows are prepared to themselves; x is not written to.
type preparer interface {
	Kernel
	Prepare(x matrix.Matrix, width int) (matrix.Matrix, error)
}

// structured is a kernel of rows that stand for something else than points.
type structured interface {
	preparer
	Structure() structure.Kind
}

// Sized is a kernel that knows how large it is, so that sums, products and
// quotients of it know how accurate they are.
//
// Laws: |k(x,y)| <= sqrt(s(x) s(y)) and |Eval(x,y) - k(x,y)| <=
// Relative(m,xx,yy) sqrt(s(x) s(y)), where s(x) = k(x,x), or Size(m,xx) if the
// kernel [IsIndefinite]; s(x) <= Size(m,xx); for rows of at most m stored values
// and of squared norms at most xx and yy.
type Sized interface {
	Kernel
	Size(terms int, xx float64) float64
	Relative(terms int, xx, yy float64) float64
}

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

// indefinite is a kernel that is no inner product for some of its parameters:
// where Indefinite() is true, no duality bounds anything.
type indefinite interface {
	Kernel
	Indefinite() bool
}

// IsIndefinite reports whether k says that it is no inner product.
func IsIndefinite(k Kernel) bool {
	i, ok := k.(indefinite)
	return ok && i.Indefinite()
}

// Unproved is a kernel that may be an inner product of which only the values are
// known. Whether a matrix of them is positive semidefinite is then proved from all
// its values, for every set anew.
type Unproved interface {
	Kernel
	Unproved() bool
}

// Shifted is a kernel of given values, to whose values of rows with themselves a shift is
// added, as theirs may make no inner product for their roundings alone. Where AutoShift is
// true the rows of a training set say which; WithShift returns the kernel with it.
type Shifted interface {
	Unproved
	AutoShift() bool
	WithShift(shift float64) Kernel
}
