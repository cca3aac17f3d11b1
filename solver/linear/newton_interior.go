package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// interior is a primal-dual interior-point method for losses made of ramps
// (Mehrotra's predictor and corrector, 1992; for support vector machines:
// Ferris and Munson, 2002).
//
//	Symbols   for each ramp, which rises by J from t on over the width W J:
//	          a + b = J    the slope it gives and what is left, both > 0
//	          r, u > 0     how far p is below the ramp and beyond it:
//	                       u - r = p - t - W a
//	          m            the mean of a r and b u over all ramps; 0 at the optimum
//	Linearise a r = m', b u = m', u - r = p - t - W a and g = 0, where
//	          g = lambda w + (1/N) X^T(s.a):
//	          da = (dp + k)/theta,   theta = W + r/a + u/b
//	          k  = p - t - W a - (u - r) - e_u/b + e_r/a
//	          (lambda I + (1/N) X^T diag(s/theta) X) dw = -g - (1/N) X^T(s.k/theta)
//	Predictor e_r = -a r, e_u = -b u
//	Corrector e_r = m' - a r - da dr, e_u = m' - b u + da du; one matrix for both
//	Returned  w and the slopes a, which are inside their domain always
//
// Row weights scale the barrier too, so that weight 2 is the row twice. How far
// a step goes and what m' is: newton_ramp.go.
type interior struct {
	p       *problem.Linear
	hessian *hessian

	w, g, d          []float64 // d+1: weights, gradient, step
	prediction, move []float64 // n: X w + b, X d
	a, c, v          []float64 // n: slopes, curvatures s/(theta N), scratch
	base             []float64 // n: slope before any ramp
	ramps            []ramp    // n*each
	each             int       // ramps of a row: 1 or 2
	mean, end        float64   // m, and where it is all rounding
	epoch            int
}

func newInterior(p *problem.Linear, l loss.Cornered, from *problem.Point) *interior {
	n, d := p.Dims()
	s := &interior{p: p, hessian: newHessian(p), each: 1, w: startingWeights(p, from), d: make([]float64, d+1),
		prediction: make([]float64, n), move: make([]float64, n), a: make([]float64, n), c: make([]float64, n), v: make([]float64, n), base: make([]float64, n)}
	if _, all := l.Ramps(p.Y[0]); all[1].Jump > 0 {
		s.each = 2
	}
	s.ramps = make([]ramp, n*s.each)
	for i, y := range p.Y {
		slope, all := l.Ramps(y)
		s.base[i] = slope
		for k := range s.each {
			s.ramps[i*s.each+k].Ramp = all[k]
		}
	}
	p.Predict(s.prediction, s.w)
	s.centre()
	s.mean = s.measure()
	s.end = 1e-24 * s.mean
	if p.Zero() == 0 { // nothing is below 0: no w is better than 0, no slope than 0
		clear(s.w)
		clear(s.a)
		s.end = s.mean
	}
	if from != nil && len(from.A) == n { // what the run is asked for before its first epoch
		copy(s.a, from.A)
	}
	return s
}

// centre sets the first interior point: with room for the predictions to move
// as far as they are from the ramps, in the quadratic mean (with the plain mean
// a best bias on the corner of most rows left too little: ijcnn1 with a free
// bias took 40 epochs instead of 22), and a r = b u.
func (s *interior) centre() {
	largest, square := 1e-100, 0.0
	away := func(e *ramp, i int) float64 { return math.Abs(s.prediction[i] - e.middle()) }
	for k := range s.ramps {
		largest = max(largest, away(&s.ramps[k], k/s.each))
	}
	for k := range s.ramps {
		x := away(&s.ramps[k], k/s.each) / largest
		square += float64(x * x)
	}
	room := largest * max(math.Sqrt(square/float64(len(s.ramps))), 1e-6)
	for k := range s.ramps {
		s.ramps[k].centre(s.prediction[k/s.each], room)
	}
}

func (s *interior) row(i int) []ramp { return s.ramps[i*s.each : (i+1)*s.each] }

// over calls do for every ramp with its row, and adds up what it returns.
func (s *interior) over(do func(i int, e *ramp) (x, y float64)) (x, y float64) {
	return sumRows(s.p, func(lo, hi int) (x, y float64) {
		for i := lo; i < hi; i++ {
			row := s.row(i)
			for k := range row {
				p, q := do(i, &row[k])
				x, y = x+p, y+q
			}
		}
		return x, y
	})
}

// Epoch makes one predictor and one corrector step.
func (s *interior) Epoch() {
	if s.mean <= s.end {
		return
	}
	s.aim(func(e *ramp) { e.er, e.eu = -float64(e.a*e.r), -float64(e.b*e.u) })
	s.hessian.form(s.p, s.c)
	s.hessian.decompose(s.p)
	s.solve()
	target := s.target()
	s.aim(func(e *ramp) {
		e.er = target - float64(e.a*e.r) - float64(e.da*e.dr)
		e.eu = target - float64(e.b*e.u) + float64(e.da*e.du)
	})
	s.solve()
	s.step(s.length())
	s.epoch++
}

// aim sets the right-hand sides, and the gradient that the Newton equation sees.
func (s *interior) aim(set func(e *ramp)) {
	sumRows(s.p, func(lo, hi int) (x, y float64) {
		for i := lo; i < hi; i++ {
			weight := s.p.S[i] / s.p.N
			rate, slope := 0.0, s.base[i]
			row := s.row(i)
			for k := range row {
				e := &row[k]
				set(e)
				e.linearise(s.prediction[i])
				rate += e.rate
				slope += e.a + float64(e.constant*e.rate)
			}
			s.c[i], s.v[i] = weight*rate, weight*slope
		}
		return 0, 0
	})
	s.g = gradientOf(s.p, s.w, s.v)
}

// solve sets the step of the weights, and those of the ramps that follow.
func (s *interior) solve() {
	s.hessian.solve(s.d, s.g)
	s.p.Predict(s.move, s.d)
	s.over(func(i int, e *ramp) (x, y float64) {
		e.follow(s.move[i])
		return 0, 0
	})
}

// step goes the way t; ramps that would leave their bounds go a part of it.
func (s *interior) step(t float64, part float64) {
	for j, d := range s.d {
		s.w[j] += float64(t * d)
	}
	for i, m := range s.move {
		s.prediction[i] += float64(t * m)
	}
	s.over(func(_ int, e *ramp) (x, y float64) {
		e.step(t, part)
		return 0, 0
	})
	s.mean = s.measure()
}

// measure sets the slopes and returns the mean product.
func (s *interior) measure() float64 {
	copy(s.a, s.base)
	total, count := s.over(func(i int, e *ramp) (x, y float64) {
		s.a[i] += e.a
		return float64(s.p.S[i] * e.products(0, 1)), e.count(s.p.S[i])
	})
	return total / count
}

// Point returns the weights and the slopes. The predictions are made afresh:
// a sum of many steps has collected their rounding errors.
func (s *interior) Point() problem.Point {
	s.p.Predict(s.prediction, s.w)
	return problem.Point{W: s.w, A: s.a}
}
