package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// newInterior starts at the weights w, with m = mean if that is not 0, and else
// with room for all predictions to move.
func newInterior(p *problem.Linear, l loss.Cornered, w []float64, mean float64) *interior {
	return interiorWith(hessian.New(p, nil), p, l, w, mean)
}

// interiorWith is newInterior with a matrix that another problem of as many columns has
// left.
func interiorWith(m *hessian.Matrix, p *problem.Linear, l loss.Cornered, w []float64, mean float64) *interior {
	m.Fit(p)
	n, d := p.Dims()
	s := &interior{p: p, corners: newCorners(l), hessian: m, w: w, d: make([]float64, d+1),
		away: make([]float64, n), before: make([]float64, n), move: make([]float64, n), ramps: newRamps(l, n)}
	s.base()
	s.tally()
	if mean > 0 {
		s.blocks(func(_ int, b rows) { s.central(b.lo, b.hi, mean) })
	} else {
		s.centre()
	}
	s.look()
	s.end = 1e-20 * s.mean
	return s
}

// base sets what the losses are without their ramps, and where the rows are.
func (s *interior) base() {
	v := s.move
	s.p.Predict(s.away, s.w)
	s.constant, _ = parts.SumRows(s.p, func(lo, hi int) (x, _ float64) {
		for i := lo; i < hi; i++ {
			c, weight := s.corners.of(s.p.Y[i]), s.p.S[i]
			v[i] = weight / s.p.N * c.slope
			x += float64(weight * (c.value - float64(c.slope*c.at)))
			s.away[i] -= c.at
		}
		return x, 0
	})
	s.fixed, _ = s.p.Combine(v)
	parts.Ground(s.fixed, s.p)
}

// centre sets the first interior point: with room for the predictions to move
// as far as they are from the ramps, in the quadratic mean (the plain mean leaves
// too little where the best bias is on the corner of most rows), and a r = b u.
func (s *interior) centre() {
	largest, square := 1e-100, 0.0
	distance := func(e *ramps, q float64) float64 { return math.Abs(q - e.shift - e.end()/2) }
	for k := range s.ramps {
		for _, q := range s.away {
			largest = max(largest, distance(&s.ramps[k], q))
		}
	}
	for k := range s.ramps {
		for _, q := range s.away {
			x := distance(&s.ramps[k], q) / largest
			square += float64(x * x)
		}
	}
	count := float64(len(s.ramps) * len(s.away))
	room := float64(largest * max(math.Sqrt(square/count), 1e-6)) // it is added to: no fused product
	for k := range s.ramps {
		for i, q := range s.away {
			s.ramps[k].centre(i, q-s.ramps[k].shift, room)
		}
	}
}

// addColumns adds the corner of the penalty, on the central path.
func (s *interior) addColumns(weight float64) {
	if weight == 0 {
		return
	}
	k := s.p.Penalised()
	c := &columnRamps{ramps: ramps{jump: 2, x: make([]float64, k), r: make([]float64, k), u: make([]float64, k)},
		weight: make([]float64, k), away: s.w[:k], before: make([]float64, k), move: make([]float64, k)}
	for j := range c.weight {
		c.weight[j] = weight * s.p.N
		s.fixed[j] -= weight
	}
	c.all().Central(s.mean)
	s.columns = c
	s.tally()
	s.look()
}
