package view

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// denseStripes multiply rows that are formed: in single precision as they are stored, or in
// double with offset and factor applied. Sums are in double precision.
type denseStripes[T float32 | float64] struct {
	of         Rows
	m, threads int
	most       int // numbers of a stripe

	multiply, addUp func(c blas.Block[float64], a blas.Block[T], b blas.Block[float64], threads int) // C += A B^T, C += A^T B

	rows  Formed[T]
	x     blas.Block[T]       // the stripe
	q     blas.Block[float64] // m x d
	total []float64           // the sum, d x m
}

func newDenseStripes(x Rows, m, threads int) *denseStripes[float32] {
	return &denseStripes[float32]{of: Rows{X: x.X}, m: m, threads: threads, most: 1 << 21, multiply: blas.GemmMixed, addUp: blas.GemmColsMixed}
}

func newMovedStripes(x Rows, m, threads int) *denseStripes[float64] {
	return &denseStripes[float64]{of: x, m: m, threads: threads, most: 1 << 20, multiply: blas.Gemm64, addUp: blas.GemmCols64}
}

func (s *denseStripes[T]) cols() int {
	_, d := s.of.Dims()
	return d
}

// height lets a stripe have so many numbers, but not too few rows.
func (s *denseStripes[T]) height() int { return min(max(s.most/max(s.cols(), 1), 16), 4096) }

func (s *denseStripes[T]) set(lo, hi int) { s.x = s.rows.Form(s.of, lo, hi, s.threads) }

func (s *denseStripes[T]) right(q []float64) { s.q = algebra.Block(q, s.m, s.cols()) }

func (s *denseStripes[T]) times(dst []float64) {
	clear(dst)
	s.multiply(algebra.Block(dst, s.x.Rows, s.m), s.x, s.q, s.threads)
}

func (s *denseStripes[T]) add(p []float64) {
	if s.total == nil {
		s.total = make([]float64, s.x.Cols*s.m)
	}
	s.addUp(algebra.Block(s.total, s.x.Cols, s.m), s.x, algebra.Block(p, s.x.Rows, s.m), s.threads)
}

func (s *denseStripes[T]) sum(dst []float64) {
	if s.total == nil { // there are no rows
		clear(dst)
		return
	}
	blas.Transpose64(algebra.Block(dst, s.m, s.x.Cols), algebra.Block(s.total, s.x.Cols, s.m))
}
