package batch

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// LBFGS is the quasi-Newton method with the last m differences of gradients (Nocedal 1980; Liu,
// Nocedal 1989); with a penalty that has an l1, OWL-QN (Andrew, Gao 2007).
//
//	Problem   minimise P(w,b), the loss smooth, the penalty l2, l1, elastic-net or lp; of one
//	          output, or of several classes under one loss
//	Symbols   s, y differences of the last m points and gradients, H their inverse Hessian
//	          beginning with a multiple of 1, or with that of a Metric
//	Update    w <- w + t d, d = -H g, t by the strong Wolfe conditions (1e-4, 0.9)
//	          with an l1: g the subgradient of least norm, d where it has the sign of -g, the point
//	          projected to the orthant of w (of -g where w_j = 0), t halved
//	Cost      a step takes X d once and X^T g once; a trial point of the line O(n + d), with an l1
//	          a product with X
//	Memory    three numbers a row, 2m+4 a feature
//	Rate      linear, superlinear in practice only with m near d
type LBFGS struct {
	memory int
	metric func(problem.Problem) Metric // nil: none
}

// Metric is an approximate Hessian that L-BFGS begins with, in place of a multiple of 1.
type Metric interface {
	// Update is told the point and its predictions before every step, and returns whether the
	// metric has changed.
	Update(w, predictions []float64) bool
	// Solve replaces d by the inverse times d.
	Solve(d []float64)
}

// NewLBFGS returns the method with so many differences, and a metric if the penalty has no corner;
// nil: none.
func NewLBFGS(memory int, metric func(problem.Problem) Metric) LBFGS { return LBFGS{memory, metric} }

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "lbfgs",
		Facts:   registry.Facts{Rate: "linear in passes", Memory: "three numbers a row", Source: "Liu, Nocedal 1989; Andrew, Gao 2007"},
		Summary: "L-BFGS, with an l1 OWL-QN: smooth losses, penalty l2, l1, elastic-net or lp; memory=10 steps",
		New: func(p *registry.Params) (solver.Solver, error) {
			return NewLBFGS(p.Int("memory", 10, 1, 1000), nil), p.Err()
		}})
}

// Accepts wants a smooth loss, and a penalty with a gradient but for an l1.
func (LBFGS) Accepts(p problem.Problem) error {
	if j, ok := p.(*problem.Joint); ok {
		if _, _, elastic := penalty.Coefficients(j.Penalty); !elastic {
			return errors.New("solver lbfgs needs the penalty l2, l1 or elastic-net of several classes")
		}
		if math.IsInf(j.Loss.Smoothness(), 1) {
			return errors.New("solver lbfgs needs a smooth loss such as softmax")
		}
		return nil
	}
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	_, gradient := l.Penalty.(penalty.Differentiable)
	if _, _, elastic := penalty.Coefficients(l.Penalty); !elastic && !gradient {
		return errors.New("solver lbfgs needs a penalty with a gradient (l2 or lp), or l1 or elastic-net")
	}
	return smooth("lbfgs", l.Loss)
}

// Start begins at 0, or at the weights of the warm start.
func (s LBFGS) Start(p problem.Problem, start solver.Start) solver.State {
	n, d := p.Dims()
	q := &lbfgs{limit: start.Over, memory: s.memory, g: make([]float64, d+1), m: make([]float64, n), along: make([]float64, n), scratch: make([]float64, d+1)}
	switch p := p.(type) {
	case *problem.Linear:
		q.risk, q.w = newObjective(p), begin(p, start.From)
		q.penalty, q.lambda, q.penalised = p.Penalty, p.Lambda, p.Penalised()
	case *problem.Joint:
		q.risk, q.w = newJointObjective(p), beginJoint(p, start.From)
		q.penalty, q.lambda, q.penalised = p.Penalty, p.Lambda, p.Penalised()
	}
	l1, l2, elastic := penalty.Coefficients(q.penalty)
	q.l1, q.l2 = q.lambda*l1, q.lambda*l2
	if !elastic {
		q.other = q.penalty.(penalty.Differentiable)
	}
	if s.metric != nil && l1 == 0 {
		q.metric = s.metric(p)
	}
	q.predict(q.m, q.w)
	q.f, _ = q.Value(q.m, 0, nil)
	q.f += q.cost(q.w)
	q.whole()
	return q
}

type lbfgs struct {
	risk
	penalty   penalty.Penalty
	lambda    float64
	penalised int    // numbers that the penalty sees
	metric    Metric // nil: none

	limit    parts.Limit
	memory   int
	l1, l2   float64 // times lambda
	other    penalty.Differentiable
	w, g     []float64 // point and gradient, without the l1
	f        float64   // objective there, with the l1
	m, along []float64 // predictions, and those of the direction
	pairs    []pair    // oldest first
	scratch  []float64
	stuck    bool
}

// A pair is a step with the change of the gradient.
type pair struct {
	s, y []float64
	rho  float64 // 1/<s, y>
}

// cost is lambda Omega.
func (q *lbfgs) cost(w []float64) float64 { return q.lambda * q.penalty.Value(w[:q.penalised]) }

// slopeOf adds the gradient of the smooth part of the penalty to g.
func (q *lbfgs) slopeOf(g, w []float64) {
	k := q.penalised
	if q.other == nil {
		vec.Axpy64(g[:k], q.l2, w[:k])
		return
	}
	q.other.Gradient(q.scratch[:k], w[:k])
	vec.Axpy64(g[:k], q.lambda, q.scratch[:k])
}

// whole computes the gradient for the slopes that the last value left.
func (q *lbfgs) whole() {
	q.gradient(q.g)
	q.slopeOf(q.g, q.w)
}

// steepest returns the subgradient of least norm.
func (q *lbfgs) steepest() []float64 {
	g := append([]float64(nil), q.g...)
	if q.l1 == 0 {
		return g
	}
	k := q.penalised
	steepest(g[:k], q.w[:k], q.l1)
	return g
}

// direction returns -H g by the two loops.
func (q *lbfgs) direction(g []float64) []float64 {
	d := append([]float64(nil), g...)
	alpha := make([]float64, len(q.pairs))
	for k := len(q.pairs) - 1; k >= 0; k-- {
		p := q.pairs[k]
		alpha[k] = p.rho * vec.Dot64(p.s, d)
		vec.Axpy64(d, -alpha[k], p.y)
	}
	scale := -1.0
	if q.metric != nil {
		q.metric.Solve(d)
	} else if k := len(q.pairs); k > 0 {
		scale = -1 / (q.pairs[k-1].rho * vec.SquaredNorm64(q.pairs[k-1].y))
	}
	for j, v := range d {
		d[j] = scale * v
	}
	for k, p := range q.pairs { // d is negative here
		vec.Axpy64(d, -alpha[k]-float64(p.rho*vec.Dot64(p.y, d)), p.s)
	}
	if q.l1 > 0 {
		for j := range d[:q.penalised] {
			if d[j]*g[j] >= 0 {
				d[j] = 0
			}
		}
	}
	return d
}

// Epoch takes a step.
func (q *lbfgs) Epoch() {
	if q.stuck || q.limit.Reached() {
		return
	}
	if q.metric != nil && q.metric.Update(q.w, q.m) {
		q.pairs = nil
	}
	g := q.steepest()
	d := q.direction(g)
	if !(vec.Dot64(d, g) < 0) {
		q.pairs = nil
		d = q.direction(g)
	}
	first := 1.0
	if size := math.Sqrt(vec.SquaredNorm64(g)); len(q.pairs) == 0 && size > 0 && q.metric == nil {
		first = min(1, 1/size)
	}
	w, gradient := append([]float64(nil), q.w...), append([]float64(nil), q.g...)
	var moved bool
	if q.l1 > 0 {
		moved = q.project(d, g, first)
	} else {
		moved = q.search(d, vec.Dot64(d, g), first)
	}
	if !moved {
		if q.pairs == nil {
			q.stuck = true
		}
		q.pairs = nil
		return
	}
	q.whole()
	q.remember(w, gradient)
}

// remember adds the step from w, where the gradient was g.
func (q *lbfgs) remember(w, g []float64) {
	for j := range w {
		w[j], g[j] = q.w[j]-w[j], q.g[j]-g[j]
	}
	inner := vec.Dot64(w, g)
	if inner <= 1e-10*math.Sqrt(vec.SquaredNorm64(w)*vec.SquaredNorm64(g)) {
		return
	}
	if len(q.pairs) == q.memory {
		q.pairs = append(q.pairs[:0], q.pairs[1:]...)
	}
	q.pairs = append(q.pairs, pair{w, g, 1 / inner})
}

// search moves to a point of the line that obeys the strong Wolfe conditions, or at least the first
// of them; slope is the derivative at its beginning.
func (q *lbfgs) search(d []float64, slope, t float64) bool {
	q.predict(q.along, d)
	lo, hi := 0.0, math.Inf(1)
	fLo, sLo := q.f, slope
	best, fBest, last := 0.0, q.f, 0.0
	for range 40 {
		last = t
		f, s := q.onLine(d, t)
		if f <= q.f+float64(1e-4*t*slope)+1e-15*math.Abs(q.f) && !math.IsNaN(f) {
			best, fBest = t, f
			if math.Abs(s) <= -0.9*slope {
				break
			}
		}
		if !(f <= q.f+float64(1e-4*t*slope)) || lo > 0 && f >= fLo || s > 0 {
			hi = t
		} else {
			lo, fLo, sLo = t, f, s
		}
		if t = 2 * lo; !math.IsInf(hi, 1) {
			t = between(lo, hi, f-fLo, sLo)
		}
	}
	if best == 0 {
		return false
	}
	vec.Axpy64(q.w, best, d)
	vec.Axpy64(q.m, best, q.along)
	q.f = fBest
	if best != last { // the slopes are those of another trial
		q.Value(q.m, 0, nil)
	}
	return true
}

// onLine returns the objective at w + t d, and its derivative by t.
func (q *lbfgs) onLine(d []float64, t float64) (f, derivative float64) {
	f, derivative = q.Value(q.m, t, q.along)
	trial, g := append([]float64(nil), q.w...), make([]float64, len(d))
	vec.Axpy64(trial, t, d)
	q.slopeOf(g, trial)
	return f + q.cost(trial), derivative + vec.Dot64(g, d)
}

// between returns the minimum of the parabola with a slope at lo that rises by so much up to hi,
// within the middle of the interval.
func between(lo, hi, rise, slope float64) float64 {
	width := hi - lo
	t := lo + float64(0.5*width)
	if bend := rise - float64(slope*width); bend > 0 {
		t = lo - float64(slope*width*width)/(2*bend)
	}
	return min(max(t, lo+float64(0.1*width)), hi-float64(0.1*width))
}

// project moves to the first point, of steps t, t/2, ..., that lowers the objective, in the orthant
// that w and -g choose.
func (q *lbfgs) project(d, g []float64, t float64) bool {
	trial, m := make([]float64, len(d)), make([]float64, len(q.m))
	k := q.penalised
	for range 40 {
		copy(trial, q.w)
		vec.Axpy64(trial, t, d)
		gain := 0.0
		for j, w := range q.w {
			side := w
			if w == 0 {
				side = -g[j]
			}
			if j < k && trial[j]*side <= 0 {
				trial[j] = 0
			}
			gain += float64(g[j] * (trial[j] - w))
		}
		q.predict(m, trial)
		f, _ := q.Value(m, 0, nil)
		if f += q.cost(trial); f <= q.f+float64(1e-4*gain) && gain < 0 {
			copy(q.w, trial)
			copy(q.m, m)
			q.f = f
			return true
		}
		t /= 2
	}
	q.Value(q.m, 0, nil)
	return false
}

// Point returns the weights, and the slopes there.
func (q *lbfgs) Point() problem.Point {
	q.predict(q.m, q.w) // against drift
	return problem.Point{W: q.w, A: q.dual(q.m)}
}

// Report is exact with the penalty l2 but for a free bias: of the slopes at w, as dual variables, the gap is
// |gradient|^2/(2 lambda), and what it costs to balance them.
func (q *lbfgs) Report() solver.Report {
	if !penalty.IsRidge(q.penalty) {
		return solver.Report{Gap: math.NaN()}
	}
	return solver.Report{Gap: vec.SquaredNorm64(q.g[:q.penalised]) / (2 * q.lambda) / math.Abs(q.f), Exact: true}
}

var _ solver.Reporter = (*lbfgs)(nil)
