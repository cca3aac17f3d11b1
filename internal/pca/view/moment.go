package view

import (
	"context"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// MomentOf returns Sigma = (1/n) sum_i x_i x_i^T as an operator that never
// forms it: a product is a pass over the rows.
func MomentOf(x Rows, threads int) Operator {
	n, d := x.Dims()
	if csr, ok := x.X.(*matrix.CSR); ok {
		return sparseMoment(x, sparseRowsAtOnce(csr), threads)
	}
	var part []float64
	return Operator{Dim: d, Block: 16, Apply: func(ctx context.Context, dst, q []float64, m int) error {
		height := rowsAtOnce(x.X, m)
		for lo := 0; lo < n; lo += height {
			if err := ctx.Err(); err != nil {
				return err
			}
			if lo == 0 {
				x.Part(0, min(height, n)).Power(dst, q, m, threads)
				continue
			}
			part = algebra.Zeros(part, m*d)
			x.Part(lo, min(lo+height, n)).Power(part, q, m, threads)
			vec.Axpy64(dst, 1, part)
		}
		algebra.Scale(dst, 1/float64(n))
		return nil
	}}
}

// sparseMoment is MomentOf of sparse rows, which are laid out once, some at a time: for as
// many bytes as the rows have. The offset is taken off the products, not the rows: of the
// eigenvalues an error of about 2^-50 times the mean of |F x|^2 is left.
func sparseMoment(x Rows, tall, threads int) Operator {
	n, d := x.Dims()
	rows := layOut(x, tall, threads)
	return Operator{Dim: d, Block: 8, Apply: func(ctx context.Context, dst, q []float64, m int) error {
		err := rows.product(m).power(ctx, dst, q)
		algebra.Scale(dst, 1/float64(n))
		return err
	}}
}

// sparseRowsAtOnce returns how many sparse rows are multiplied at once: products of some
// megabytes, and less than 0.1 s between two looks at whether to go on.
func sparseRowsAtOnce(x *matrix.CSR) int {
	rows, cols := x.Dims()
	perRow := float64(len(x.Value)) / float64(max(rows, 1))
	return int(min(max(3e7/max(perRow, 1), float64(cols)/4, 1024), 1<<17))
}

// rowsAtOnce returns how many rows can be multiplied with m vectors between two
// checks whether to go on: about 10^9 operations of dense rows.
func rowsAtOnce(x matrix.Matrix, m int) int {
	rows, cols := x.Dims()
	perRow := float64(matrix.Nonzeros(x)) / float64(max(rows, 1))
	if IsSparse(x) {
		perRow *= 8
	}
	return int(min(max(2.5e8/max(perRow*float64(m), 1), float64(cols), 1024), math.MaxInt32))
}

// DenseOperator returns a, symmetric and dim x dim, as an operator.
func DenseOperator(a []float64, dim, threads int) Operator {
	return Operator{Dim: dim, Block: 8, Apply: func(ctx context.Context, dst, q []float64, m int) error {
		algebra.Multiply(dst, q, a, m, dim, dim, threads)
		return ctx.Err()
	}}
}

// An Operator is a symmetric positive semidefinite matrix, dim x dim, known by its
// products: apply sets dst, m x dim, to Q A for the m rows of q. It is fastest with
// about block rows at once.
type Operator struct {
	Dim, Block int
	Apply      func(ctx context.Context, dst, q []float64, m int) error
}

// A LaidOut multiplies with all rows, and back, again and again: stripes of sparse
// rows are laid out once, if that does not take too much memory.
type LaidOut struct {
	x       Rows
	threads int
	tall    int // rows of a stripe
	stripes []*sparseRows
}

// laidOut is how many stored numbers may be laid out: 20 bytes each.
const laidOut = 1 << 27

// NewLaidOut lays out what there is room for.
func NewLaidOut(x Rows, threads int) *LaidOut {
	if IsSparse(x.X) && !matrix.IsDouble(x.X) && matrix.Nonzeros(x.X) <= laidOut {
		return layOut(x, 4096, threads)
	}
	return &LaidOut{x: x, threads: threads}
}

// layOut makes stripes of so many rows, which are sparse.
func layOut(x Rows, tall, threads int) *LaidOut {
	p := &LaidOut{x: x, threads: threads, tall: tall}
	n, d := x.Dims()
	for lo := 0; lo < n; lo += tall {
		s := &sparseRows{}
		s.list(x.X, lo, min(lo+tall, n))
		s.transpose(d)
		s.next = nil
		p.stripes = append(p.stripes, s)
	}
	return p
}

// product is that with m vectors.
func (p *LaidOut) product(m int) *Product {
	product := newProduct(p.x, m, p.threads, false)
	if s, ok := product.stripes.(*sparseStripes); ok && p.stripes != nil {
		s.laid, s.tall = p.stripes, p.tall
	}
	return product
}

// Apply sets dst, m x d, to the rows of q times X'^T X'.
func (p *LaidOut) Apply(dst, q []float64, m int) {
	_ = p.product(m).power(context.Background(), dst, q)
}

// Both sets y, n x m, to X' q^T and image, m x d, to y^T X'.
func (p *LaidOut) Both(y, image, q []float64, m int) { p.product(m).Both(y, image, q) }
