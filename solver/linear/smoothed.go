package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// smoothed brings SDCA near the optimum of the hinge where rows are many times the
// columns and lambda is small: there single steps take hundreds of epochs to move
// most dual variables from one end of their domain to the other.
//
//	Smoothed  with tau log(1 + exp((1-m)/tau)) for max(0, 1-m), m = y p the margin:
//	          its slope is -b, b = s((1-m)/tau) with the logistic function s, and
//	          a = -y b are dual variables for w, with g the smoothed P's gradient
//	              P - D = (1/N) sum_i s_i (max(0, 1-m_i) - b_i (1-m_i)) + |g|^2/(2 lambda)
//	          The sum, the defects, counts only rows whose margin is within a few tau
//	          of 1, each with tau/4 about: it falls with tau^2
//	Step      Newton's: (lambda I + X^T diag(c) X) d = -g, c_i = s_i b_i (1-b_i)/(tau N),
//	          by conjugate gradients scaled by the diagonal over the rows that c
//	          does not leave out; then a line search
//	Width     tau is halved when the gradient's part of the gap is less than half
//	          the defects
//	Ends      when fewer rows are curved than half the columns, or eight epochs do
//	          not suffice for a width: most directions are flat then, and the steps
//	          become short. SDCA goes on from a, and is slow again: to end at 1.5
//	          times the columns left a set of rcv1's shape at 1.1e-3 after 25 s
//	Bias      a column of ones: with the penalty if a feature, without if free
//	Cost      four passes over all rows an epoch, two over the curved rows for
//	          every step of conjugate gradients; memory O(n + d)
//
// rcv1's shape at lambda = 1/(100n) needs 12 epochs to gap 1e-3, with 3 to 10 steps
// of conjugate gradients each; SDCA alone is at 0.6 after 40.
//
// Rounding the corner by a parabola over a fixed width was rejected: the rows
// beyond it are not curved at all (45 epochs, with up to 100 steps).
type smoothed struct {
	p                 *problem.Linear
	tau               float64
	w, g              []float64 // d+1: weights, gradient
	prediction, along []float64 // n: X w + b, the same of a step
	a, v              []float64 // n: dual variables, s.a/N
	defects, losses   float64   // means over the rows
	curved            []uint32  // rows that are not left out of H
	c                 []float64 // their curvatures
	gradients         gradients
	hs                []float64 // d+1: H times a direction
	part              [8][]float64
	epochs, since     int // in all, with this tau
	stuck             bool
}

// suitsSmoothing reports whether SDCA should begin with smoothed. rcv1's shape,
// whose rows have the norm 1, to gap 1e-3 on two cores with lambda = 1/n, 1/(10n),
// 1/(20n): 2.3, 4.2, 4.3 s; SDCA alone 1.1, 7.0, 12.1 s.
func suitsSmoothing(p *problem.Linear) bool {
	if _, hinge := p.Loss.(loss.Hinge); !hinge {
		return false
	}
	_, l2 := p.Penalty.(penalty.L2)
	return l2 && shortSteps(p)
}

// newSmoothed begins at w = 0 with the best bias.
func newSmoothed(p *problem.Linear) *smoothed {
	n, d := p.Dims()
	s := &smoothed{p: p, tau: 0.5, w: startingWeights(p, nil), prediction: make([]float64, n), along: make([]float64, n),
		a: make([]float64, n), v: make([]float64, n), gradients: newGradients(d + 1), hs: make([]float64, d+1)}
	for b := range s.part {
		s.part[b] = make([]float64, d+1)
	}
	p.Predict(s.prediction, s.w)
	s.look()
	return s
}

// leastCurved is the b below which, and above 1 minus which, a row is left out of
// H: for all of them it lacks about 0.4 % of the curvature.
const (
	leastCurved = 1e-3
	smoothMost  = 60 // epochs: something is wrong
	smoothWait  = 8  // epochs with one tau: too few rows are curved for long steps
)

// step makes one step of Newton's method.
func (s *smoothed) step() {
	if s.settled() {
		s.tau /= 2
		s.since = 0
		s.look()
	}
	d := s.solve()
	s.p.Predict(s.along, d)
	t := s.search(d)
	vec.Axpy64(s.w, t, d)
	vec.Axpy64(s.prediction, t, s.along)
	s.look()
	s.epochs++
	s.since++
	s.stuck = !(t > 0) || !(s.excess() < math.Inf(1))
}

// settled reports whether this tau has given what it can.
func (s *smoothed) settled() bool { return s.excess() < s.defects/2 }

// done reports whether this is as far as it goes.
func (s *smoothed) done() bool {
	return s.stuck || s.epochs == smoothMost || s.since == smoothWait || s.settled() && 2*len(s.curved) < len(s.w)
}

// excess is the part of the gap that is due to the gradient.
func (s *smoothed) excess() float64 {
	return vec.SquaredNorm64(s.g[:s.p.Penalised()]) / (2 * s.p.Lambda)
}

// look sets what depends on w and tau.
func (s *smoothed) look() {
	losses, defects := sumRows(s.p, func(lo, hi int) (losses, defects float64) {
		for i := lo; i < hi; i++ {
			y := s.p.Y[i]
			short := 1 - float64(y*s.prediction[i])
			b := vec.Sigmoid(short / s.tau)
			s.a[i] = -y * b
			s.v[i] = s.p.S[i] * s.a[i] / s.p.N
			losses += float64(s.p.S[i] * max(short, 0))
			defects += float64(s.p.S[i] * (max(short, 0) - float64(b*short)))
		}
		return losses, defects
	})
	s.losses, s.defects = losses/s.p.N, defects/s.p.N
	s.g = gradientOf(s.p, s.w, s.v)
}

// curve lists the rows of H and sets its diagonal.
func (s *smoothed) curve() {
	s.curved, s.c = s.curved[:0], s.c[:0]
	for i, a := range s.a {
		if b := math.Abs(a); b > leastCurved && b < 1-leastCurved {
			s.curved = append(s.curved, uint32(i))
			s.c = append(s.c, s.p.S[i]*b*(1-b)/(s.tau*s.p.N))
		}
	}
	s.gather(s.gradients.diagonal, addSquares)
	for j := range s.gradients.diagonal {
		s.gradients.diagonal[j] += s.p.Lambda
	}
}

// gather sets dst to the sum of what add makes of every curved row and its
// curvature. The parts do not depend on the cores.
func (s *smoothed) gather(dst []float64, add func(sum []float64, x matrix.Vector, c float64)) {
	m := len(s.curved)
	for b := range s.part {
		clear(s.part[b])
	}
	matrix.Blocks(m, (m+len(s.part)-1)/len(s.part)+1, s.p.Threads, func(b, lo, hi int) {
		for k := lo; k < hi; k++ {
			add(s.part[b], s.p.X.Row(int(s.curved[k])), s.c[k])
		}
	})
	copy(dst, s.part[0])
	for _, sum := range s.part[1:] {
		vec.Axpy64(dst, 1, sum)
	}
}

// product returns H q.
func (s *smoothed) product(q []float64) []float64 {
	d := len(q) - 1
	s.gather(s.hs, func(sum []float64, x matrix.Vector, c float64) {
		v := float64(c * (x.Dot(q[:d]) + q[d]))
		x.AddTo(sum[:d], v)
		sum[d] += v
	})
	k := s.p.Penalised()
	vec.Axpy64(s.hs[:k], s.p.Lambda, q[:k])
	if s.p.Bias == problem.None {
		s.hs[d] = 0
	}
	return s.hs
}

// solve returns nearly -H^-1 g: with a tenth of g left, or after mostProducts
// steps.
func (s *smoothed) solve() []float64 {
	s.curve()
	x := make([]float64, len(s.w))
	s.gradients.solve(x, s.g, 0.1*math.Sqrt(inner(s.g, s.g)), s.product)
	return x
}

// search returns a step along d with a third of the smoothed P's slope left at
// most: that of Newton's method itself, or by the secant and doubling.
func (s *smoothed) search(d []float64) float64 {
	k := s.p.Penalised()
	along, squared := float64(s.p.Lambda*vec.Dot64(s.w[:k], d[:k])), float64(s.p.Lambda*vec.SquaredNorm64(d[:k]))
	slope := func(t float64) float64 { return along + float64(t*squared) + s.slope(t) }
	first := slope(0)
	lo, atLo := 0.0, first
	hi, atHi := math.Inf(1), 0.0
	t := 1.0
	for range 8 {
		at := slope(t)
		if math.Abs(at) <= -first/3 {
			return t
		}
		if at < 0 {
			lo, atLo = t, at
		} else {
			hi, atHi = t, at
		}
		if math.IsInf(hi, 1) {
			t = 2 * t
		} else {
			t = lo - atLo*(hi-lo)/(atHi-atLo)
		}
	}
	return lo
}

// slope is the derivative along the step of the mean of the smoothed losses.
func (s *smoothed) slope(t float64) float64 {
	sum, _ := sumRows(s.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			y := s.p.Y[i]
			short := 1 - float64(y*(s.prediction[i]+float64(t*s.along[i])))
			sum -= float64(s.p.S[i] * float64(y*float64(vec.Sigmoid(short/s.tau)*s.along[i])))
		}
		return sum, 0
	})
	return sum / s.p.N
}

// estimate returns about the relative gap.
func (s *smoothed) estimate() float64 {
	primal := s.losses + float64(s.p.Lambda*s.p.Penalty.Value(s.w[:s.p.Penalised()]))
	return problem.Relative(primal, primal-s.defects-s.excess(), s.p.Zero())
}
