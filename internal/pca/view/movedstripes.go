package view

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// movedStripes are dense rows of which a copy in double precision is multiplied,
// offset and factor applied.
type movedStripes struct {
	of            Rows
	rows, cols, m int // rows: of the stripe
	threads       int

	x, q  []float64 // the stripe, and the vectors
	total []float64 // the sum, cols x m
}

func newMovedStripes(r Rows, m, threads int) *movedStripes {
	_, cols := r.Dims()
	return &movedStripes{of: r, cols: cols, m: m, threads: threads}
}

// height lets a stripe have a million numbers, but not too few rows.
func (s *movedStripes) height() int { return min(max(1<<20/max(s.cols, 1), 16), 4096) }

func (s *movedStripes) set(lo, hi int) {
	s.rows = hi - lo
	s.x = algebra.Sized(s.x, s.rows*s.cols)
	parallel.Blocks(s.rows, 32, s.threads, func(_, from, to int) {
		for i := from; i < to; i++ {
			s.of.Row(s.x[i*s.cols:(i+1)*s.cols], lo+i)
		}
	})
}

func (s *movedStripes) right(q []float64) { s.q = q }

func (s *movedStripes) times(dst []float64) {
	clear(dst)
	blas.Gemm64(algebra.Block(dst, s.rows, s.m), algebra.Block(s.x, s.rows, s.cols), algebra.Block(s.q, s.m, s.cols), s.threads)
}

func (s *movedStripes) add(p []float64) {
	if s.total == nil {
		s.total = make([]float64, s.cols*s.m)
	}
	blas.GemmCols64(algebra.Block(s.total, s.cols, s.m), algebra.Block(s.x, s.rows, s.cols), algebra.Block(p, s.rows, s.m), s.threads)
}

func (s *movedStripes) sum(dst []float64) {
	if s.total == nil { // there are no rows
		clear(dst)
		return
	}
	blas.Transpose64(algebra.Block(dst, s.m, s.cols), algebra.Block(s.total, s.cols, s.m))
}
