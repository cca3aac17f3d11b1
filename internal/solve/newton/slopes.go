package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// slope returns the first and second derivative of the objective at w + t d,
// along d, and leaves the slopes and curvatures of the losses there for the
// next epoch.
func (s *curved) slope(t float64) (first, second float64) {
	first, second = parts.SumRows(s.p, func(lo, hi int) (x, y float64) { return s.slopes(t, lo, hi) })
	return s.penalise(first, second, t)
}

// arrive is slope with all that belongs to it in one pass over the data: before it dst
// becomes X u, unless that is nil, and after it g becomes X^T v. A block of rows is in the
// cache when it is added. With foretell the model of the slopes is made of those before.
func (s *curved) arrive(dst, u []float64, t float64, foretell bool) (first, second float64) {
	sums := make([][2]float64, len(s.a)/parts.BlockRows+1) // of each part, which is blockRows at least
	s.p.SumTo(s.g, func(sum []float64, lo, hi int) {
		total := &sums[lo/parts.BlockRows]
		for ; lo < hi; lo += parts.BlockRows {
			end := min(lo+parts.BlockRows, hi)
			if u != nil {
				parts.Predict(dst, s.p.X, lo, end, u)
			}
			if foretell {
				s.foretell(lo, end)
			}
			x, y := s.slopes(t, lo, end)
			total[0] += x
			total[1] += y
			addRows(sum, s.p, lo, s.v[lo:end])
		}
	})
	for _, total := range sums {
		first += total[0]
		second += total[1]
	}
	return s.penalise(first, second, t)
}

// foretell sets the model of rows lo to hi: what their slopes are after the whole step if curvatures stay.
func (s *curved) foretell(lo, hi int) {
	model, a, c, move := s.model[lo:hi], s.a[lo:hi], s.c[lo:hi], s.move[lo:hi]
	for i, weight := range s.p.S[lo:hi] {
		model[i] = a[i]
		if weight > 0 {
			model[i] += float64(c[i] * s.p.N / weight * move[i])
		}
	}
}

// modelDefect is what it costs, of the mean loss, that the model is not the slopes: nearly half of the squares over
// the curvatures.
func (s *curved) modelDefect() float64 {
	defect, _ := parts.SumRows(s.p, func(lo, hi int) (x, y float64) {
		a, c := s.a[lo:hi], s.c[lo:hi]
		for i, m := range s.model[lo:hi] {
			if off := (m - a[i]) * s.p.S[lo+i] / s.p.N; off != 0 {
				x += off / (2 * c[i]) * off
			}
		}
		return x, 0
	})
	return defect
}

// slopes is slope for rows lo to hi, at most blockRows, without the penalty.
func (s *curved) slopes(t float64, lo, hi int) (first, second float64) {
	s.differentiate(t, lo, hi)
	var bent [parts.BlockRows]float64
	a, c, v, move := s.a[lo:hi], s.c[lo:hi], s.v[lo:hi], s.move[lo:hi]
	c, v, move = c[:len(a)], v[:len(a)], move[:len(a)]
	share := 1 / s.p.N
	for i, weight := range s.p.S[lo:hi] {
		weight *= share
		v[i] = weight * a[i]
		c[i] *= weight
		bent[i] = c[i] * move[i]
	}
	return vec.Dot64(v, move), vec.Dot64(bent[:len(a)], move)
}

// penalise adds what the penalty has to the derivatives along d.
func (s *curved) penalise(first, second, t float64) (float64, float64) {
	for j, d := range s.d[:s.p.Penalised()] {
		first += float64(s.p.Lambda * d * (s.w[j] + float64(t*d)))
		second += float64(s.p.Lambda * d * d)
	}
	return first, second
}

// differentiate sets a and c of rows lo to hi to the first and second
// derivative of their losses at w + t d.
func (s *curved) differentiate(t float64, lo, hi int) {
	a, prediction, move := s.a[lo:hi], s.prediction[lo:hi], s.move[lo:hi]
	prediction, move = prediction[:len(a)], move[:len(a)]
	for k := range a {
		a[k] = prediction[k] + float64(t*move[k])
	}
	loss.DifferentiateTo(s.loss, a, s.c[lo:hi], a, s.p.Y[lo:hi])
}

// settle adds the penalty to the g of arrive, which is that of w from then on.
func (s *curved) settle() {
	parts.AddPenalty(s.g, s.p, s.w)
	s.current = true
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

// search goes along d to where the slope is a tenth of what it was. With a matrix, for
// which epochs are cheap, half is enough after the whole step; conjugate gradients, whose
// first d is up to half as long as it should be, would take half as many epochs again. With
// a matrix the whole step is mostly taken, so g is made at its end together with the slope.
func (s *curved) search() {
	start := 0.0
	for j, d := range s.d {
		start -= float64(s.g[j] * d)
	}
	if s.least == 0 || start < s.least {
		s.least, s.stuck = start, 0
	}
	if s.gap < roundingGap {
		s.stuck++
	}
	if !(start > 0) { // the gradient is 0, or all rounding
		s.stuck = mostStuck + 1
		return
	}
	whole, try := 0.5, s.slope
	if s.hessian == nil {
		whole = 0.1
	}
	if !s.moved {
		if s.own && s.model == nil {
			s.model = make([]float64, len(s.a))
		}
		try = func(t float64) (first, second float64) { return s.arrive(s.move, s.d, t, s.own) }
	}
	lo, hi, t, there := 0.0, math.Inf(1), 1.0, !s.moved
	for k := 0; ; k++ {
		first, second := try(t)
		if math.Abs(first) <= 0.1*start || k == 0 && math.Abs(first) <= whole*start || k > 60 || k == 60 && first <= 0 {
			break
		}
		try, there = s.slope, false
		if next := t - first/second; first <= 0 {
			lo, t = t, inside(next, t, hi)
		} else if hi = t; k == 60 { // the end: less than there is to gain, but down
			t = lo
		} else if t = inside(next, lo, hi); !(first <= 100*start) { // an exponential outgrows its tangents, or overflows
			t = lo + (hi-lo)/2
		}
	}
	s.length = t
	vec.Axpy64(s.w, t, s.d)
	vec.Axpy64(s.prediction, t, s.move)
	if there {
		s.settle()
		s.modelled = s.own && t == 1
	}
}

// inside returns t if it makes progress in the bracket from lo to hi, and else
// its middle; without an upper end, a t between twice and sixteen times lo.
func inside(t, lo, hi float64) float64 {
	switch {
	case math.IsInf(hi, 1) && t > 2*lo:
		return min(t, 16*lo)
	case math.IsInf(hi, 1):
		return 2 * lo
	case t > lo && t < hi:
		return t
	}
	return lo + (hi-lo)/2
}

// mostStuck is how many epochs may go by without a smaller slope along the step
// before the rest is taken for rounding: only with a gap below roundingGap, if the gap
// is known. Squared hinge on clusters far apart may need many short steps to find the
// few rows that are curved at the optimum, with larger slopes after smaller ones.
const (
	mostStuck   = 20
	roundingGap = 0.01
)
