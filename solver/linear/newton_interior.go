package linear

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
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
	fixed            []float64 // d+1: gradient of rows left out
	prediction, move []float64 // n: X w + b, X d
	a, c, v          []float64 // n: slopes, curvatures s/(theta N), scratch
	base             []float64 // n: slope before any ramp
	ramps            []ramp    // n*each
	each             int       // ramps of a row: 1 or 2
	right            []float64 // d+1: right side of the Newton equation
	current          bool      // g belongs to w and a
	mean, end        float64   // m, and where it is all rounding
	count, slopes    float64   // sums by weight: of products, which m is a mean of, and of |slopes|
	epoch            int
}

// newInterior starts at the weights w, with m = mean if that is not 0, and else
// with room for all predictions to move.
func newInterior(p *problem.Linear, l loss.Cornered, w []float64, mean float64) *interior {
	return newHessian(p).interior(p, l, w, mean)
}

// interior is newInterior with a matrix that another problem of as many columns has
// left.
func (m *hessian) interior(p *problem.Linear, l loss.Cornered, w []float64, mean float64) *interior {
	m.fit(p)
	s := makeInterior(p, l, w, m)
	if mean > 0 {
		s.blocks(func(_, lo, hi int) { s.central(lo, hi, mean) })
	} else {
		s.centre()
	}
	s.mean = s.measure()
	s.end = 1e-24 * s.mean
	return s
}

// makeInterior makes room, and sets all but the variables of the ramps.
func makeInterior(p *problem.Linear, l loss.Cornered, w []float64, h *hessian) *interior {
	n, d := p.Dims()
	s := &interior{p: p, hessian: h, each: 1, w: w, d: make([]float64, d+1),
		prediction: make([]float64, n), move: make([]float64, n), a: make([]float64, n), c: make([]float64, n), v: make([]float64, n), base: make([]float64, n)}
	if _, all := l.Ramps(p.Y[0]); all[1].Jump > 0 {
		s.each = 2
	}
	s.ramps = make([]ramp, n*s.each)
	s.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			slope, all := l.Ramps(p.Y[i])
			s.base[i] = slope
			for k := range s.each {
				s.ramps[i*s.each+k].Ramp = all[k]
			}
		}
	})
	p.Predict(s.prediction, s.w)
	s.tally()
	return s
}

// tally sets count.
func (s *interior) tally() {
	s.count = 0
	for k := range s.ramps {
		s.count += s.ramps[k].count(s.p.S[k/s.each])
	}
}

// central puts rows lo to hi on the central path.
func (s *interior) central(lo, hi int, mean float64) {
	for k := lo * s.each; k < hi*s.each; k++ {
		s.ramps[k].central(s.prediction[k/s.each], mean)
	}
}

// keep goes on with some of the rows, of which p is made already.
func (s *interior) keep(rows []int32) {
	for k, i := range rows {
		copy(s.row(k), s.row(int(i)))
		s.prediction[k], s.move[k], s.base[k] = s.prediction[i], s.move[i], s.base[i]
	}
	n := len(rows)
	s.ramps, s.base, s.prediction, s.move = s.ramps[:n*s.each], s.base[:n], s.prediction[:n], s.move[:n]
	s.a, s.c, s.v = s.a[:n], s.c[:n], s.v[:n]
	s.resume()
}

// add takes in rows that have come to the end of the problem, with their predictions
// and the moves of these. They take their places on the central path.
func (s *interior) add(l loss.Cornered, prediction, move []float64) {
	first := len(s.base)
	for k, p := range prediction {
		slope, all := l.Ramps(s.p.Y[first+k])
		s.base = append(s.base, slope)
		for _, e := range all[:s.each] {
			s.ramps = append(s.ramps, ramp{Ramp: e})
		}
		s.prediction, s.move = append(s.prediction, p), append(s.move, move[k])
	}
	s.central(first, len(s.base), s.mean)
	more := make([]float64, len(prediction))
	s.a, s.c, s.v = append(s.a, more...), append(s.c, more...), append(s.v, more...)
	s.resume()
}

// resume goes on after a change of rows.
func (s *interior) resume() {
	s.hessian.fit(s.p)
	s.tally()
	s.mean = s.measure()
	s.current = false
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
	room := float64(largest * max(math.Sqrt(square/float64(len(s.ramps))), 1e-6)) // it is added to: no fused product
	for k := range s.ramps {
		s.ramps[k].centre(s.prediction[k/s.each], room)
	}
}

// blocks calls do for all rows, in blocks.
func (s *interior) blocks(do func(block, lo, hi int)) {
	matrix.Blocks(len(s.a), newtonRows, s.p.Threads, do)
}

func (s *interior) row(i int) []ramp { return s.ramps[i*s.each : (i+1)*s.each] }

// direction makes a predictor and a corrector, and returns how far to go.
func (s *interior) direction() (t, part float64) {
	s.gradient()
	s.aim(0)
	s.hessian.form(s.p, s.c)
	s.hessian.decompose(s.p)
	target := s.target(s.solve(0))
	s.aim(target)
	return s.length(s.solve(target))
}

// Epoch makes one predictor and one corrector step.
func (s *interior) Epoch() {
	if s.mean <= s.end {
		return
	}
	s.step(s.direction())
	s.epoch++
}

// gradient sets g, unless it is that of this point already.
func (s *interior) gradient() {
	if s.current {
		return
	}
	for i, a := range s.a {
		s.v[i] = s.p.S[i] / s.p.N * a
	}
	s.g = gradientOf(s.p, s.w, s.v)
	for j, x := range s.fixed {
		s.g[j] += x
	}
	s.current = true
}

// aim sets the right-hand sides for products m'; the steps of a predictor, 0
// before there was one, say by how much a step will miss them.
func (s *interior) aim(target float64) {
	s.blocks(func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			weight := s.p.S[i] / s.p.N
			rate, slope := 0.0, 0.0
			row := s.row(i)
			for k := range row {
				e := &row[k]
				e.linearise(s.prediction[i], target)
				rate += e.rate
				slope += float64(e.constant * e.rate)
			}
			s.c[i], s.v[i] = weight*rate, weight*slope
		}
	})
	s.right, _ = s.p.Combine(s.v)
	if s.p.Bias == problem.None {
		s.right[len(s.right)-1] = 0
	}
	for j, g := range s.g {
		s.right[j] += g
	}
}

// solve sets the step of the weights for products m', and those of the ramps that
// follow. It
// returns the largest part of itself that a variable loses in the whole step.
func (s *interior) solve(target float64) (loses float64) {
	s.hessian.solve(s.d, s.right)
	s.p.Predict(s.move, s.d)
	most := make([]float64, (len(s.a)+newtonRows-1)/newtonRows)
	s.blocks(func(block, lo, hi int) {
		loses := 0.0
		for i := lo; i < hi; i++ {
			row := s.row(i)
			for k := range row {
				row[k].follow(s.move[i], target)
				loses = row[k].loses(loses)
			}
		}
		most[block] = loses
	})
	return slices.Max(most)
}

// step goes the way t; ramps that would leave their bounds go a part of it.
func (s *interior) step(t float64, part float64) {
	vec.Axpy64(s.w, t, s.d)
	vec.Axpy64(s.prediction, t, s.move)
	s.blocks(func(_, lo, hi int) {
		for k := lo * s.each; k < hi*s.each; k++ {
			s.ramps[k].step(t, part)
		}
	})
	s.mean = s.measure()
	s.current = false
}

// measure sets the slopes and returns the mean product.
func (s *interior) measure() float64 {
	total, slopes := sumRows(s.p, func(lo, hi int) (x, y float64) {
		for i := lo; i < hi; i++ {
			row, a := s.row(i), s.base[i]
			for k := range row {
				a += row[k].a
				x += float64(s.p.S[i] * row[k].products(0, 1))
			}
			s.a[i] = a
			y += float64(s.p.S[i] * math.Abs(a))
		}
		return x, y
	})
	s.slopes = slopes
	return total / s.count
}

// losses returns the sums of the losses and of l(p) + l*(a) - a p.
func (s *interior) losses() (losses, defects float64) {
	return sumRows(s.p, func(lo, hi int) (x, y float64) {
		for i := lo; i < hi; i++ {
			p, a, target := s.prediction[i], s.a[i], s.p.Y[i]
			value := s.p.Loss.Value(p, target)
			x += float64(s.p.S[i] * value)
			y += float64(s.p.S[i] * (value + s.p.Loss.Conjugate(a, target) - float64(a*p)))
		}
		return x, y
	})
}
