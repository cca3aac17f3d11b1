package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// The products with X of the interior-point method go by blocks of rows, each with the
// pass over the ramps before or after it: an epoch has half as many phases so, each of
// which would wake the other cores, and v is in the cache.

// combine returns X^T v, where add adds to v, which is move, what each ramp gives; v is a
// block's and in the cache when its rows are added. also is cleared, too.
func (s *interior) combine(add func(e *vec.Ramp, b rows), also []float64) []float64 {
	n, d := s.p.Dims()
	parts := max(1, min(mostParts, n/newtonRows, int(s.p.Nonzeros/int64(8*d+1))))
	size := (n + parts - 1) / parts
	sums := make([]float64, parts*(d+1))
	parallel.Blocks(n, size, s.p.Threads, func(part, lo, hi int) {
		sum := sums[part*(d+1):][:d+1]
		for ; lo < hi; lo += newtonRows {
			b := s.rows(lo, min(lo+newtonRows, hi))
			v := s.move[b.lo:b.hi]
			clear(v)
			if also != nil {
				clear(also[b.lo:b.hi])
			}
			for k := range s.ramps {
				add(s.ramps[k].of(b), b)
			}
			matrix.AddRows(sum[:d], s.p.X, b.lo, v)
			if s.p.Bias != problem.None {
				for _, v := range v {
					sum[d] += v
				}
			}
		}
	})
	for part := 1; part < parts; part++ {
		vec.Axpy64(sums[:d+1], 1, sums[part*(d+1):][:d+1])
	}
	return sums[: d+1 : d+1]
}

// mostParts bounds the partial sums of combine.
const mostParts = 8

// predict sets the step of the predictions of a block to that of the weights.
func (s *interior) predict(dst []float64, b rows) {
	last := len(s.d) - 1
	matrix.Dots(dst[b.lo:b.hi], s.p.X, b.lo, s.d[:last])
	if bias := s.d[last]; bias != 0 {
		for i := b.lo; i < b.hi; i++ {
			dst[i] += bias
		}
	}
}
