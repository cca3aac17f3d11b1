package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
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
//	          of 1, each with tau/4 about: in the end it falls with tau
//	Step      Newton's: (lambda I + X^T diag(c) X) d = -g, c_i = s_i b_i (1-b_i)/(tau N),
//	          by conjugate gradients over the rows that c does not leave out
//	          (newton_cg.go); then a line search
//	Width     tau is made less when the gradient's part of the gap is less than half
//	          the defects. That step follows the path of optima: tau log(b/(1-b)) = 1-m
//	          and g = 0 are linearised in both w and b, which leaves H with the new
//	          tau, and for the slopes in g
//	              b + c N (1-m) (1 - tau/tau')    tau' the old width
//	          With the slopes of the new width instead, g is a hundred times as large
//	Rows      those far from the corner are taken for straight (smoothed_near.go)
//	Centred   once tau is small it need not become much smaller: smoothed_centred.go
//	Ends      when fewer rows are curved than half the columns before that, or when a
//	          width takes smoothWait epochs, or these no longer halve the gap. SDCA
//	          goes on from a
//	Bias      a column of ones: with the penalty if a feature, without if free
//	Cost      four passes over the rows that are near an epoch, two over the curved
//	          ones for every step of conjugate gradients; memory O(n + d) and copies
//	          of a quarter of the rows at most (smoothed_part.go)
//
// In the end nearly as many rows are on the corner as there are columns: H then has every
// eigenvalue between lambda and the largest.
//
// Rejected: a parabola of fixed width at the corner, as rows beyond it are not curved at
// all; a sample of a quarter of the rows to begin with, whose optimum is farther from that
// of all rows than 0 is; newton_interior.go with conjugate gradients, which take three
// times the steps and do not get to small gaps.
type smoothed struct {
	p               *problem.Linear
	tau             float64
	centred         bool      // slopes are variables of their own (smoothed_centred.go)
	w, g            []float64 // d+1: weights, gradient
	nearRows                  // rows, and what is known of each
	defects, losses float64   // means over the rows
	curved          []uint32  // of the near rows, those that are not left out of H
	c               []float64 // their curvatures
	ofH             *part     // these rows; while not all are near it lends room to them
	conjugate       *conjugate
	epochs, since   int     // in all; since best
	best            float64 // excess with this tau when it was last halved; once the slopes are centred the estimate
	stuck           bool
	safe            []float64 // weights that were settled last, with the width safeTau
	safeTau         float64
	lost            bool // the slopes are not to be centred again
}

// suitsSmoothing reports whether SDCA should begin with smoothed: where its steps are short,
// and rows are many or the matrix of Newton's method expensive. Where that is cheap, and dual
// ascent chosen for a rare class, smoothed takes twice as long; on small dense sets it ends
// stalled.
func suitsSmoothing(p *problem.Linear) bool {
	_, hinge := p.Loss.(loss.Hinge)
	_, l2 := p.Penalty.(penalty.L2)
	n, d := p.Dims()
	expensive := n >= 4*d && sparse(p) && matrixTime(p) > cheapTime
	return !ablated.has(withoutSmoothing) && hinge && l2 && (expensive || n >= 8*d && p.Nonzeros >= 1<<22) && shortness(p) > 3
}

const (
	leastCurved = 1e-3 // a row whose b is less, or 1-b, is left out of H: that lacks about 0.4 % of the curvature
	narrower    = 0.5  // tau after tau
	smoothMost  = 100  // epochs: something is wrong
	smoothWait  = 12   // epochs without half of what was left: too few rows are curved for long steps
	smoothSteps = 600  // of conjugate gradients
)

// newSmoothed begins at w = 0 with the best bias.
func newSmoothed(p *problem.Linear, over limit) *smoothed {
	s := &smoothed{p: p, tau: 0.5, best: math.Inf(1), w: startingWeights(p, nil), nearRows: newNear(p), ofH: newPart(p), conjugate: newConjugate(p)}
	s.conjugate.over = over
	s.survey()
	return s
}

// step makes one step: Newton's, or one along the path to the next tau, or once tau is
// small one of the proximal point method.
func (s *smoothed) step() {
	left := s.excess()
	if s.centred || s.settled() {
		s.survey()
	}
	s.epochs++
	s.since++
	if !s.centred && !s.lost && s.tau < centredFrom && s.settled() {
		s.centred, s.since, s.best = true, 1, math.Inf(1)
	}
	if s.centred {
		s.approach(left)
		return
	}
	from, t := s.tau, 1.0
	if s.settled() {
		s.save()
		s.tau *= narrower
		s.since, s.best = 1, math.Inf(1)
	}
	d := s.direction(1-s.tau/from, s.defects*(s.tau/from))
	s.q.Predict(s.along, d)
	if s.tau == from {
		t = s.search(d)
	}
	vec.Axpy64(s.w, t, d)
	vec.Axpy64(s.prediction, t, s.along)
	s.look()
	if e := s.excess(); e < s.best/2 {
		s.best, s.since = e, 0
	}
	s.stuck = !(t > 0) || !(s.excess() < math.Inf(1))
}

// passes is about what a step takes, most of it for products with near rows.
func (s *smoothed) passes() float64 { return 10 }

// settled reports whether this tau has given what it can.
func (s *smoothed) settled() bool { return s.excess() < s.defects/2 }

// done reports whether this is as far as it goes.
func (s *smoothed) done() bool {
	return s.stuck || s.epochs == smoothMost || s.since == smoothWait || !s.centred && s.settled() && 2*len(s.curved) < len(s.w)
}

// excess is the part of the gap that is due to the gradient.
func (s *smoothed) excess() float64 {
	return vec.SquaredNorm64(s.g[:s.p.Penalised()]) / (2 * s.p.Lambda)
}

// look sets what depends on w and tau.
func (s *smoothed) look() {
	losses, defects := sumRows(s.q, func(lo, hi int) (losses, defects float64) {
		if !s.centred {
			s.slopes(s.b[lo:hi], lo, 0)
		}
		for i := lo; i < hi; i++ {
			y := s.q.Y[i]
			short := 1 - float64(y*s.prediction[i])
			s.v[i] = -y * s.q.S[i] * s.b[i] / s.p.N
			losses += float64(s.q.S[i] * max(short, 0))
			defects += float64(s.q.S[i] * (max(short, 0) - float64(s.b[i]*short)))
		}
		return losses, defects
	})
	s.losses, s.defects = losses/s.p.N+s.straightLosses(s.w), defects/s.p.N
	s.g = s.gradient()
}

// slopes sets b to those of the rows from lo on, t along the step.
func (s *smoothed) slopes(b []float64, lo int, t float64) {
	for k := range b {
		i := lo + k
		b[k] = (1 - float64(s.q.Y[i]*(s.prediction[i]+float64(t*s.along[i])))) / s.tau
	}
	vec.SigmoidTo(b, b)
}

// gradient returns that of the slopes in v.
func (s *smoothed) gradient() []float64 {
	g := gradientOf(s.q, s.w, s.v)
	vec.Axpy64(g, 1, s.fixed)
	return g
}

// curve lists the rows of H, and sets their slopes in v to those of the path: a share of
// the distance from the corner, in widths, is what the slope is to follow. In the
// directions that hardly any row sees, every row counts that is curved more than lambda.
func (s *smoothed) curve(share float64) {
	s.curved, s.c = s.curved[:0], s.c[:0]
	least := min(leastCurved, s.tau*s.p.Lambda*s.p.N)
	for i, b := range s.b {
		if b <= least || b >= 1-least {
			continue
		}
		y, weight := s.q.Y[i], s.q.S[i]/s.p.N
		c := float64(b*(1-b)) / s.tau
		s.curved = append(s.curved, uint32(i))
		s.c = append(s.c, weight*c)
		s.v[i] = -y * weight * (b + float64(c*(1-float64(y*s.prediction[i]))*share))
	}
}

// rowsOfH returns the rows that are curved, and their curvatures: with the others
// between them if there is no room to copy them, which is faster than to name them.
func (s *smoothed) rowsOfH() (*problem.Linear, []float64) {
	if s.q != s.p || partShare*len(s.curved) < len(s.b) {
		return s.ofH.take(s.q, s.curved), s.c
	}
	clear(s.along) // a step will be told there
	for k, i := range s.curved {
		s.along[i] = s.c[k]
	}
	return s.q, s.along
}

// direction returns nearly -H^-1 g, of a step that takes a share of the way along the
// path: with a tenth of g left, or so little that it does not matter beside the defects,
// but not less than the first order is good for.
func (s *smoothed) direction(share, defects float64) []float64 {
	s.curve(share)
	g, least := s.g, 0.1
	if share != 0 {
		g, least = s.gradient(), 0.03
	}
	size := math.Sqrt(inner(g, g))
	goal := math.Sqrt(s.p.Lambda / 2 * defects)
	d := make([]float64, len(s.w))
	h, c := s.rowsOfH()
	s.conjugate.solveTo(d, g, min(max(goal, least*size), 0.3*size), smoothSteps, h, c)
	return d
}

// search returns a step along d with a third of the smoothed P's slope left at
// most.
func (s *smoothed) search(d []float64) float64 {
	along, squared := penaltyAlong(s.p, s.w, d)
	along += inner(s.fixed, d)
	return searchAlong(func(t float64) float64 { return along + float64(t*squared) + s.slope(t) })
}

// slope is the derivative along the step of the mean of the smoothed losses of the
// near rows.
func (s *smoothed) slope(t float64) float64 {
	sum, _ := sumRows(s.q, func(lo, hi int) (sum, _ float64) {
		var room [blockRows]float64
		b := room[:hi-lo]
		s.slopes(b, lo, t)
		for i := lo; i < hi; i++ {
			sum -= float64(s.q.S[i] * float64(s.q.Y[i]*float64(b[i-lo]*s.along[i])))
		}
		return sum, 0
	})
	return sum / s.p.N
}

// estimate returns about the relative gap.
func (s *smoothed) estimate() float64 {
	primal := s.primal()
	return problem.Relative(primal, primal-s.defects-s.excess(), s.p.Zero())
}

// primal returns the objective, that of the hinge itself.
func (s *smoothed) primal() float64 {
	return s.losses + float64(s.p.Lambda*s.p.Penalty.Value(s.w[:s.p.Penalised()]))
}
