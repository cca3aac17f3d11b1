package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// The products with X of the interior-point method go by blocks of rows, each with the
// pass over the ramps before or after it: an epoch has half as many phases so, each of
// which would wake the other cores, and v is in the cache.

// combine returns X^T v, where add adds to v, which is move, what each ramp gives; v is a
// block's and in the cache when its rows are added. also is cleared, too.
func (s *interior) combine(add func(e *vec.Ramp, b rows), also []float64) []float64 {
	_, d := s.p.Dims()
	combined := make([]float64, d+1)
	s.p.SumTo(combined, func(sum []float64, lo, hi int) {
		for ; lo < hi; lo += blockRows {
			b := s.rows(lo, min(lo+blockRows, hi))
			v := s.move[b.lo:b.hi]
			clear(v)
			if also != nil {
				clear(also[b.lo:b.hi])
			}
			for k := range s.ramps {
				add(s.ramps[k].of(b), b)
			}
			addRows(sum, s.p, b.lo, v)
		}
	})
	return combined
}

// addRows adds v of rows lo and on, times these rows, and their sum if there is a bias.
func addRows(sum []float64, p *problem.Linear, lo int, v []float64) {
	d := len(sum) - 1
	matrix.AddRows(sum[:d], p.X, lo, v)
	if p.Bias == problem.None {
		return
	}
	for _, v := range v {
		sum[d] += v
	}
}

// predict sets the step of the predictions of a block to that of the weights.
func (s *interior) predict(dst []float64, b rows) { predict(dst, s.p.X, b.lo, b.hi, s.d) }

// predict sets dst of rows lo to hi of x to their predictions by w.
func predict(dst []float64, x matrix.Matrix, lo, hi int, w []float64) {
	d := len(w) - 1
	matrix.Dots(dst[lo:hi], x, lo, w[:d])
	if bias := w[d]; bias != 0 {
		for i := lo; i < hi; i++ {
			dst[i] += bias
		}
	}
}
