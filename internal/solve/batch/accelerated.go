package batch

import (
	"errors"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Accelerated is proximal gradient with Nesterov's extrapolation (Beck, Teboulle 2009: FISTA), begun
// anew when the objective rises (O'Donoghue, Candes 2015); plain proximal gradient is that without.
//
//	Problem   minimise P(w,b) with any penalty; the loss smooth
//	Update    w <- prox(v - g(v)/L, 1/L), v <- w + (w - w_before)(t_k - 1)/t_{k+1}
//	          L doubles where the quadratic bound of the step fails, and falls by a tenth after
//	Corners   the Huber hinge of width h is below the hinge by at most h/2: for a gap of h on the
//	          hinge take that loss (Nesterov 2005)
//	Returned  the last iterate; the slopes there are the dual variables
//	Rate      linear with sqrt(lambda/L) (plain lambda/L), 1/k^2 (1/k) without strong convexity
//	Memory    two numbers a row, five a feature
type Accelerated struct{ momentum bool }

// NewAccelerated returns the method with extrapolation.
func NewAccelerated() Accelerated { return Accelerated{momentum: true} }

func init() {
	register := func(name, summary, rate, source string, momentum bool) {
		solver.Linear.Register(registry.Entry[solver.Solver]{Name: name, Summary: summary,
			Facts: registry.Facts{Rate: rate, Memory: "two numbers a row", Source: source},
			New:   func(*registry.Params) (solver.Solver, error) { return Accelerated{momentum}, nil }})
	}
	register("accelerated", "accelerated proximal gradient: any penalty, smooth losses",
		"linear, passes like sqrt(L/lambda)", "Nesterov 1983; Beck, Teboulle 2009", true)
	register("proximal-gradient", "proximal gradient: any penalty, smooth losses; to be compared with",
		"linear, passes like L/lambda", "Cauchy 1847; Levitin, Polyak 1966", false)
}

// Accepts wants a smooth loss.
func (s Accelerated) Accepts(p problem.Problem) error {
	if j, ok := p.(*problem.Joint); ok {
		if math.IsInf(j.Smoothness(), 1) {
			return errors.New("solver accelerated needs a smooth loss such as softmax or squared")
		}
		return nil
	}
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if s.momentum {
		return smooth("accelerated", l.Loss)
	}
	return smooth("proximal-gradient", l.Loss)
}

// Start begins at 0, or at the weights of the warm start.
func (s Accelerated) Start(p problem.Problem, start solver.Start) solver.State {
	n, d := p.Dims()
	a := &accelerated{limit: start.Over, momentum: s.momentum, next: make([]float64, d+1),
		g: make([]float64, d+1), m: make([]float64, n), before: make([]float64, n), t: 1}
	switch p := p.(type) {
	case *problem.Linear:
		a.risk, a.w, a.penalty, a.lambda, a.penalised = newObjective(p), begin(p, start.From), p.Penalty, p.Lambda, p.Penalised()
	case *problem.Joint:
		a.risk, a.w, a.penalty, a.lambda, a.penalised = newJointObjective(p), beginJoint(p, start.From), p.Penalty, p.Lambda, p.Penalised()
	}
	a.l = a.smoothness() / 8
	if a.l == 0 {
		a.l = 1
	}
	a.v = append([]float64(nil), a.w...)
	a.predict(a.m, a.w)
	copy(a.before, a.m)
	a.last = math.Inf(1)
	return a
}

type accelerated struct {
	risk
	penalty   penalty.Penalty
	lambda    float64
	penalised int // numbers that the penalty sees
	limit     parts.Limit
	momentum  bool
	w, v      []float64 // iterate, and the point it is extrapolated to
	next, g   []float64
	m, before []float64 // predictions of v, and of w
	l, t      float64
	last      float64 // objective of w
}

// Epoch takes a step.
func (a *accelerated) Epoch() {
	f, _ := a.Value(a.m, 0, nil)
	a.gradient(a.g)
	k := a.penalised
	predictions, along := make([]float64, len(a.m)), make([]float64, len(a.m))
	for tries := 0; ; tries++ {
		if a.limit.Reached() {
			return
		}
		gain, square := 0.0, 0.0
		for j, v := range a.v {
			a.next[j] = v - a.g[j]/a.l
		}
		a.penalty.Prox(a.next[:k], a.next[:k], a.lambda/a.l)
		for j, v := range a.v {
			move := a.next[j] - v
			gain += float64(a.g[j] * move)
			square += float64(move * move)
		}
		a.predict(predictions, a.next)
		for i, m := range predictions {
			along[i] = m - a.m[i]
		}
		// Near the optimum the values have no digits left to compare, but the slopes along the step
		// have (Becker, Candes, Grant 2011).
		value, slope := a.Value(predictions, 0, along)
		close := math.Abs(f-value) < 1e-8*math.Abs(f) && slope-gain <= float64(a.l*square)
		if value <= f+gain+float64(a.l/2*square) || close || tries > 60 {
			a.move(predictions, value)
			break
		}
		a.l *= 2
	}
	a.l *= 0.9
}

// move goes to the next iterate, and extrapolates.
func (a *accelerated) move(predictions []float64, value float64) {
	value += a.lambda * a.penalty.Value(a.next[:a.penalised])
	after := (1 + math.Sqrt(1+float64(4*a.t*a.t))) / 2
	beta := (a.t - 1) / after
	if !a.momentum || value > a.last {
		beta, after = 0, 1
	}
	for j, w := range a.next {
		a.v[j] = w + float64(beta*(w-a.w[j]))
	}
	for i, m := range predictions {
		a.m[i] = m + float64(beta*(m-a.before[i]))
	}
	a.w, a.next = a.next, a.w
	copy(a.before, predictions)
	a.t, a.last = after, value
}

// Point returns the iterate with, where that is free, its best bias.
func (a *accelerated) Point() problem.Point {
	w := append([]float64(nil), a.w...)
	return problem.Point{W: w, A: a.best(w, make([]float64, len(a.m)))}
}
