package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// proximal brings SDCA on where its epochs are slow: small lambda, and no fewer
// columns than rows on a corner, which single steps turn long about. It is the method
// of multipliers on the dual with semismooth steps of Newton's method (Rockafellar 1976;
// Li, Sun, Toh 2018).
//
//	Problem   with centre c, a point of the dual, and width q > 0: minimise over w
//	              F(w) = lambda Omega(w) + (1/N) sum_i s_i max over a of
//	                     (a p_i - l*(a) - (q/2)(a - c_i)^2),   p = <w,x> + b
//	          a(p) is SDCA's step from c for a row of that q. The minimum's a is the next
//	          centre; the fixed points are optima for any q
//	Step      Newton's: (lambda I + X^T diag(k) X) d = -g, k_i = s_i/(N (q + W)) for rows
//	          whose a is on no end of a ramp, else 0, W the width of the ramp: by
//	          conjugate gradients over these rows and their columns alone
//	          (proximal_rows.go), then a line search
//	Gap       P(w) - D(a) is the defects, (1/N) sum s (l(p) + l*(a) - a p), and the
//	          excess, |g|^2/(2 lambda)
//	Penalty   l2, or elastic-net, whose corner is one more ramp a column: proximal_corner.go
//	Centre    moves when the excess is less than half the defects; if that took few steps
//	          of Newton's method q becomes less
//	Returned  the best w, and the best a, of all steps
//	Cost      a step takes two passes over all rows, and two over the active ones for each
//	          product of conjugate gradients; memory O(n + d) and a copy of the active rows
//
// Rows off the corner do not count at all, and a row goes to an end of its domain and back
// in one step. That asks for a start where most rows are on their side: epochs of SDCA.
//
// Rejected: exact directions, as rows that become active cut most steps short; a fixed
// width, or a small first one, whose first centres take thousands of products; an
// interior-point method over the dual variables, whose weights conjugate gradients leave
// as inexact as 1/lambda is large.
type proximal struct {
	p               *problem.Linear // without the penalty's corner
	corner          *penaltyCorner  // nil: it has none
	dual            loss.Step
	width           float64   // q
	ramp            float64   // W
	w, g, d         []float64 // d+1: weights, gradient, step
	prediction      []float64 // n: X w + b
	along           []float64 // n: the same of d
	centre, a, v    []float64 // n: c, a, s.a/N
	middle          []float64 // d+1: the mean row, if the bias is free
	losses, defects float64   // means over the rows
	active          activeRows
	conjugate       *hessian.Conjugate
	products        float64 // of the last step, each by the share of all numbers in it
	goal            float64 // relative gap that is asked for

	progress // of the steps made
}

// progress says what the steps so far have cost and brought.
type progress struct {
	spent        float64 // passes of all steps
	steps        int     // with this centre
	since        int     // steps since the gap was halved; a relative one stays near 1 for long
	mark         float64 // the gap then
	stuck        bool
	best         problem.Point
	upper, lower float64 // primal and dual there
	doubted      bool    // lower, a guess where the bias is free, is not what a look found
}

const (
	proximalWidth = 1000 // q at first, in P(0)
	proximalNext  = 0.5  // q after q
	proximalFew   = 4    // steps of Newton's method
	proximalGoal  = 0.5  // of g is left by conjugate gradients
	proximalMost  = 600  // products
	proximalWait  = 60   // steps in which the gap should halve
	productNumber = 2.5  // visits of a number in SDCA that take as long as in a product
)

// suitsProximal reports whether proximal knows the shape of loss and penalty.
func suitsProximal(p *problem.Linear) bool {
	_, cornered := p.Loss.(loss.Cornered)
	return cornered && parts.Elastic(p.Penalty)
}

// look sets what depends on w, the centre and the width.
func (m *proximal) look() {
	losses, defects := parts.SumRows(m.p, func(lo, hi int) (losses, defects float64) {
		for i := lo; i < hi; i++ {
			p, y, s := m.prediction[i], m.p.Y[i], m.p.S[i]
			a := m.at(i, p)
			l := m.p.Loss.Value(p, y)
			m.a[i], m.v[i] = a, s*a/m.p.N
			losses += float64(s * l)
			defects += float64(s * (l + m.p.Loss.Conjugate(a, y) - float64(a*p)))
		}
		return losses, defects
	})
	m.losses, m.defects = losses/m.p.N, defects/m.p.N
	parts.GradientTo(m.g, m.p, m.w, m.v)
	w, primal := m.w, m.losses+float64(m.p.Lambda*m.p.Penalty.Value(m.w[:m.p.Penalised()]))
	if m.corner != nil {
		value, defects := m.corner.look(m.g, m.w, m.width)
		primal, m.defects = primal+value, m.defects+defects
	}
	dual := primal - m.defects - m.excess()
	if m.corner != nil {
		w, primal = m.zeroed(primal, dual)
	}
	if primal < m.upper {
		m.upper = primal
		copy(m.best.W, w)
	}
	if m.doubted { // it may have been a wrong guess
		m.lower, m.doubted = math.Inf(-1), false
	}
	if dual > m.lower {
		m.lower = dual
		copy(m.best.A, m.a)
	}
}

// zeroed returns the weights with zeros for those on the corner, and their primal, unless
// that more than doubles the gap.
func (m *proximal) zeroed(primal, dual float64) ([]float64, float64) {
	w := m.corner.zeroed
	if p, _ := m.corner.whole.Primal(w); p-dual <= 2*(primal-dual) {
		m.corner.loose = false
		return w, p
	}
	m.corner.loose = true
	return m.w, primal
}

// at returns a of row i at the prediction p.
func (m *proximal) at(i int, p float64) float64 {
	a, _, _ := m.dual(m.centre[i], p, m.width, m.p.Y[i])
	return a
}

// excess is the part of the gap that is due to the gradient. A certificate takes the sum of
// s.a off it where the bias is free: see parts.RelativeGap.
func (m *proximal) excess() float64 {
	excess := parts.BalancedSquare(m.p, m.g, m.middle) / (2 * m.p.Lambda)
	if m.p.Bias == problem.Free {
		excess += float64(math.Abs(m.g[len(m.g)-1]) * m.p.Zero())
	}
	return excess
}

// step makes one step of Newton's method.
func (m *proximal) step() {
	if m.excess() < m.defects/2 {
		m.recentre()
	}
	m.steps++
	m.since++
	m.direct()
	m.spent += m.passes()
	m.p.Predict(m.along, m.d)
	along, squared := penaltyAlong(m.p, m.w, m.d)
	t := searchAlong(func(t float64) float64 {
		slope := along + float64(t*squared) + m.slope(t)
		if m.corner != nil {
			slope += m.corner.slope(m.w, m.d, t, m.width)
		}
		return slope
	})
	vec.Axpy64(m.w, t, m.d)
	vec.Axpy64(m.prediction, t, m.along)
	before := m.excess()
	m.look()
	m.stuck = m.excess() == before || !(m.excess() < math.Inf(1))
	if gap := max(m.upper-m.lower, 1e-15*m.upper); gap < m.mark/2 { // 0 but for rounding
		m.mark, m.since = gap, 0
	}
}

// recentre goes on from the dual variables that were reached.
func (m *proximal) recentre() {
	copy(m.centre, m.a)
	few := m.steps <= proximalFew
	if few {
		m.width *= proximalNext
	}
	if m.corner != nil {
		m.corner.recentre(few)
	}
	m.steps = 0
	m.look()
}

// direct sets d to nearly -H^-1 g. In columns that no active row uses H is lambda I.
func (m *proximal) direct() {
	q, c := m.active.take(m.p, m.a, func(s float64) float64 { return s / (m.p.N * (m.width + m.ramp)) })
	for j, g := range m.g[:m.p.Penalised()] {
		m.d[j] = -g / m.p.Lambda
	}
	if m.corner != nil {
		for j, h := range m.corner.single[:m.p.Penalised()] {
			m.d[j] = -m.g[j] / (m.p.Lambda + h)
		}
	}
	g, d := m.active.gather(m.g)
	size := math.Sqrt(parts.Inner(g, g))
	goal := math.Sqrt(m.p.Lambda * m.defects / 4)
	conjugate := m.conjugate.Shortened(len(g))
	if m.corner != nil {
		conjugate.Single = m.corner.gather(m.active.column)
	}
	conjugate.Prepare(q, c)
	n := conjugate.Solve(d, nil, g, min(max(goal, 0.01*size), proximalGoal*size), proximalMost, q, c)
	m.active.scatter(m.d, d)
	m.products = float64(n) * float64(q.Nonzeros) / float64(max(m.p.Nonzeros, 1))
}

// passes counts those of looks and of products, with rows and their columns.
func (m *proximal) passes() float64 { return productNumber * (2 + m.products) }

// slope is the derivative along the step of the mean over the rows in F.
func (m *proximal) slope(t float64) float64 {
	sum, _ := parts.SumRows(m.p, func(lo, hi int) (sum, _ float64) {
		for i := lo; i < hi; i++ {
			a := m.at(i, m.prediction[i]+float64(t*m.along[i]))
			sum += float64(m.p.S[i] * float64(a*m.along[i]))
		}
		return sum, 0
	})
	return sum / m.p.N
}

// done reports whether the gap has stopped falling.
func (m *proximal) done() bool { return m.stuck || m.since == proximalWait }

// point returns the best weights, with more zeros at the end, and the best dual variables.
// If the run goes on then, the end it was not.
func (m *proximal) point() problem.Point {
	if m.estimate() < m.goal {
		m.doubted = m.middle != nil
		if m.corner != nil {
			m.best.W, m.upper = parts.SpendOnZeros(m.corner.whole, m.best.W, m.best.A, m.lower, m.goal)
		}
	}
	return m.best
}

// primal returns the objective there.
func (m *proximal) primal() float64 { return m.upper }

// estimate returns about the relative gap there.
func (m *proximal) estimate() float64 { return problem.Relative(m.upper, m.lower, m.p.Zero()) }
