package view

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// denseStripes multiply dense rows in double precision, where they are if they lie
// one after the other.
type denseStripes struct {
	of            matrix.Matrix
	rows, cols, m int // rows: of the stripe
	threads       int

	copied []float32
	x      blas.Block[float32] // the stripe
	q      blas.Block[float64] // m x cols
	total  []float64           // the sum, cols x m
}

func newDenseStripes(x matrix.Matrix, m, threads int) *denseStripes {
	_, cols := x.Dims()
	return &denseStripes{of: x, cols: cols, m: m, threads: threads}
}

// height lets a stripe have two million numbers, but not too few rows.
func (s *denseStripes) height() int { return min(max(1<<21/max(s.cols, 1), 16), 4096) }

func (s *denseStripes) set(lo, hi int) {
	s.rows = hi - lo
	if m, ok := s.of.(*matrix.Dense); ok {
		s.x = rowsOf(m, lo, hi)
		return
	}
	s.copied = algebra.Sized(s.copied, s.rows*s.cols)
	parallel.Blocks(s.rows, 32, s.threads, func(_, from, to int) {
		for i := from; i < to; i++ {
			expand(s.copied[i*s.cols:(i+1)*s.cols], s.of.Row(lo+i))
		}
	})
	s.x = algebra.Block(s.copied, s.rows, s.cols)
}

func (s *denseStripes) right(q []float64) { s.q = algebra.Block(q, s.m, s.cols) }

func (s *denseStripes) times(dst []float64) {
	clear(dst)
	blas.GemmMixed(algebra.Block(dst, s.rows, s.m), s.x, s.q, s.threads)
}

func (s *denseStripes) add(p []float64) {
	if s.total == nil {
		s.total = make([]float64, s.cols*s.m)
	}
	blas.GemmColsMixed(algebra.Block(s.total, s.cols, s.m), s.x, algebra.Block(p, s.rows, s.m), s.threads)
}

func (s *denseStripes) sum(dst []float64) {
	if s.total == nil { // there are no rows
		clear(dst)
		return
	}
	blas.Transpose64(algebra.Block(dst, s.m, s.cols), algebra.Block(s.total, s.cols, s.m))
}
