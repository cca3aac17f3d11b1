package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/vec"
)

// The end of smoothed: the slopes b are variables of their own, and tau does not go to
// 0. For rows on the corner Newton's method on the smoothed P alone needs shorter and
// shorter steps there: a margin that moves by more than tau is beyond the corner, while
// H is nearly singular and asks for long moves.
//
//	Problem   the proximal point method on the dual, with the entropy as distance (the
//	          exponential method of multipliers; Tseng, Bertsekas 1993):
//	              tau (log(b'/(1-b')) - log(b/(1-b))) = 1 - m',  lambda w' = X^T(y s b')/N
//	          whose fixed points are optima for any tau
//	Step      linearised in both b and w, which leaves H with c = s b (1-b)/(tau N),
//	          and for the slopes in g
//	              b + c N (1-m)/s
//	          that is  b' = b + b (1-b) (1-m')/tau  with the new margins
//	Bounds    b' goes centredStay of the way to an end at most. Where b has nearly reached
//	          an end, so that H does not see the row, it follows the law itself
//	Width     becomes less after steps that leave less than the defects in the gradient's
//	          part of the gap
//	Cost      conjugate gradients once an epoch, without a line search
//	Lost      where few rows are on the corner for the columns, the bounds may cut so much
//	          off b' that every step leaves more of the gradient than the last: smoothing
//	          goes on from the last settled weights then, with its line search
//
// Smoothing alone takes three times the products of conjugate gradients to a gap of 1e-5,
// and hardly gets below it.
//
// Rejected: fixed tau, and the exact law by Newton's method with a line search for each
// centre, which take twice the products; steps of 1.5, which do not settle; conjugate
// gradients preconditioned by the exact block of H of the columns that weigh most, as what
// is slow are directions of all columns; columns in the order of their weight in memory.
const (
	centredFrom = 0.01 // tau
	centredNext = 0.8  // tau after tau
	centredStay = 0.3  // of the way to an end is left
	centredRise = 4    // log(b/(1-b)) moves so far at most
	centredEnd  = 1e-9 // nearest to an end
	centredLost = 10   // times what was left after the last step is too much
)

// approach makes a step of the proximal point method. left is excess after the last
// step, without the rows that came near since.
func (s *smoothed) approach(left float64) {
	most := float64(centredLost * left)
	if s.excess() < s.defects {
		s.save()
		s.tau *= centredNext
		most = math.Inf(1) // a first step with a width may leave any amount
	}
	d := s.direction(1, centredNext*s.defects)
	s.q.Predict(s.along, d)
	vec.Axpy64(s.w, 1, d)
	vec.Axpy64(s.prediction, 1, s.along)
	sumRows(s.q, func(lo, hi int) (_, _ float64) {
		for i := lo; i < hi; i++ {
			s.b[i] = towards(s.b[i], (1-float64(s.q.Y[i]*s.prediction[i]))/s.tau)
		}
		return 0, 0
	})
	s.look()
	if e := s.excess(); e > most {
		s.centred, s.lost = false, true
		s.retreat()
		return
	}
	if e := s.estimate(); e < s.best/2 {
		s.best, s.since = e, 0
	}
	s.stuck = !(s.excess() < math.Inf(1))
}

// towards returns the slope after b of a row that falls short by so many widths.
func towards(b, short float64) float64 {
	if b < leastCurved || b > 1-leastCurved {
		rise := min(max(short, -centredRise), centredRise)
		return offEnds(vec.Sigmoid(vec.Log(b/(1-b)) + rise))
	}
	to := b + float64(float64(b*(1-b))*short)
	return min(max(to, centredStay*b), 1-float64(centredStay*(1-b)))
}

// offEnds returns b, no nearer to an end than a slope goes.
func offEnds(b float64) float64 { return min(max(b, centredEnd), 1-centredEnd) }

// save keeps the weights as those that were settled last, to which smoothed may come
// back: where it is lost on its way with centred steps, SDCA would get nowhere from its w.
func (s *smoothed) save() { s.safe, s.safeTau = append(s.safe[:0], s.w...), s.tau }

// retreat goes back to the weights that were settled last.
func (s *smoothed) retreat() {
	copy(s.w, s.safe)
	s.tau, s.since, s.best = s.safeTau, 0, math.Inf(1)
	s.survey()
}

// finish goes back to them too, if it ends in the middle of a width.
func (s *smoothed) finish() {
	if s.safe != nil && !s.centred && !s.settled() {
		s.retreat()
	}
}
