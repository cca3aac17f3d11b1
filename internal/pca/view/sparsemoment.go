package view

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/tiles"
	"github.com/fenchel-ml/fenchel/matrix"
)

// sparseMoment multiplies with the second moment of sparse rows, again and again:
// the transposes of parts of the rows are made once, for as many bytes as the rows
// have. With o = Offset and F = diag(Factor),
//
//	Q Sigma = (1/n) ((Y^T X) - (Y^T 1) o^T) F,     Y = X (Q F)^T - 1 (Q F o)^T.
//
// The offset is taken off the products, not the rows: of the eigenvalues an error
// of about 2^-50 times the mean of |F x|^2 is left.
type sparseMoment struct {
	of      Rows
	parts   []sparsePart
	cols    int
	rows    int
	threads int

	right, product []float64 // d x width, and n x width of a part
	left, part     []float64 // d x width: the sum, and a part's
}

// A sparsePart is some rows and their transpose.
type sparsePart struct{ x, turned *matrix.CSR }

func newSparseMoment(x Rows, csr *matrix.CSR, height, threads int) *sparseMoment {
	s := &sparseMoment{of: x, threads: threads}
	s.rows, s.cols = x.Dims()
	for lo := 0; lo < s.rows; lo += height {
		hi := min(lo+height, s.rows)
		part := &matrix.CSR{Cols: s.cols, Start: csr.Start[lo : hi+1], Index: csr.Index, Value: csr.Value}
		s.parts = append(s.parts, sparsePart{part, matrix.Transpose(part)})
	}
	return s
}

// sparseRowsAtOnce returns how many rows make a part: products of some megabytes,
// and less than 0.1 s between two looks at whether to go on.
func sparseRowsAtOnce(x *matrix.CSR) int {
	rows, cols := x.Dims()
	perRow := float64(len(x.Value)) / float64(max(rows, 1))
	return int(min(max(3e7/max(perRow, 1), float64(cols)/4, 1024), 1<<17))
}

func (s *sparseMoment) operator() Operator { return Operator{Dim: s.cols, Block: 8, Apply: s.apply} }

func (s *sparseMoment) apply(ctx context.Context, dst, q []float64, m int) error {
	for first := 0; first < m; {
		width := tiles.NarrowWidth64
		if m-first > 3*tiles.NarrowWidth64 {
			width = tiles.Width64
		}
		used := min(width, m-first)
		if err := s.tile(ctx, dst[first*s.cols:], q[first*s.cols:], used, width); err != nil {
			return err
		}
		first += used
	}
	return nil
}

// tile multiplies as many rows of q as a tile has, or fewer.
func (s *sparseMoment) tile(ctx context.Context, dst, q []float64, used, width int) error {
	s.right, s.left, s.part = algebra.Zeros(s.right, s.cols*width), algebra.Zeros(s.left, s.cols*width), algebra.Zeros(s.part, s.cols*width)
	shift := s.turn(q, used, width)
	total := make([]float64, width)
	for _, part := range s.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.of.CountReads(part.rows(), 0)
		s.product = algebra.Sized(s.product, part.rows()*width)
		multiplyTile(part.x, s.product, s.right, width, s.threads)
		for i := range part.rows() {
			y := s.product[i*width : (i+1)*width]
			vec.Axpy64(y, -1, shift)
			vec.Axpy64(total, 1, y)
		}
		multiplyTile(part.turned, s.part, s.product, width, s.threads)
		vec.Axpy64(s.left, 1, s.part)
	}
	s.turnBack(dst, total, used, width)
	return nil
}

func (p sparsePart) rows() int { return len(p.x.Start) - 1 }

// multiplyTile sets dst to X times the tile, width vectors side by side.
func multiplyTile(x *matrix.CSR, dst, tile []float64, width, threads int) {
	const size = 128
	parallel.Blocks(len(x.Start)-1, size, threads, func(_, lo, hi int) {
		var at [size]int
		for i := lo; i < hi; i++ {
			at[i-lo] = i * width
		}
		tiles.Sparse64(dst, at[:hi-lo], tile, width, nil, x.Start[lo:hi+1], x.Index, x.Value)
	})
}

// turn lays the rows of Q F side by side, and returns their products with o.
func (s *sparseMoment) turn(q []float64, used, width int) (shift []float64) {
	shift = make([]float64, width)
	scaled := make([]float64, s.cols)
	for l := range used {
		copy(scaled, q[l*s.cols:(l+1)*s.cols])
		for j, f := range s.of.Factor {
			scaled[j] *= f
		}
		if s.of.Offset != nil {
			shift[l] = vec.Dot64(scaled, s.of.Offset)
		}
		for j, x := range scaled {
			s.right[j*width+l] = x
		}
	}
	return shift
}

// turnBack sets the rows of dst to the sum.
func (s *sparseMoment) turnBack(dst, total []float64, used, width int) {
	for l := range used {
		row := dst[l*s.cols : (l+1)*s.cols]
		for j := range row {
			row[j] = s.left[j*width+l]
		}
		if s.of.Offset != nil {
			vec.Axpy64(row, -total[l], s.of.Offset)
		}
		for j, f := range s.of.Factor {
			row[j] *= f
		}
		algebra.Scale(row, 1/float64(s.rows))
	}
}
