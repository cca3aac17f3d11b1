// Package stochastic holds the stochastic methods for linear predictors. Each is a [Method]: a
// value put together from parts that exist once.
//
//	gradient  estimate of the gradient   source.go, table.go, snapshot.go
//	step      its length                 rule.go
//	geometry  form of the weights        package iterate
//	sampling  which rows                 sample.go
//	output    which iterate              point.go
//
// A step costs O(nonzeros of its rows) with every combination. A named method is a file with its
// problem, update, rate, memory and source, and the parts that it takes (pgs.go, saga.go); other
// combinations are "stochastic:gradient=saga,step=constant,...". A stranger begins with run.go,
// the loop that all of them run in.
package stochastic

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A Method is a stochastic method. It is made by name, see [solver.Linear].
type Method struct {
	name     string
	gradient string
	step     string
	geometry string
	sampling string
	output   string
	asked    bool // the output is another than the usual one

	gamma    float64    // of the step; 0: by itself
	beta     float64    // gamma/t^beta
	offset   float64    // 1/(mu (t+offset)); less than 0: L/mu
	batch    int        // rows of a step
	growth   float64    // by which batches grow from step to step
	tested   bool       // batches grow by a test of their variance
	inner    float64    // passes between snapshots
	snapshot string     // which inner iterate is the next snapshot
	ball     bool       // iterates are kept in a ball that contains the optimum
	extra    float64    // strong convexity that catalyst adds; less than 0: by itself
	moments  [2]float64 // decays of the means of gradients and of their squares
}

var _ solver.Solver = Method{}

// The parts by name; the first of each is the usual one.
var (
	gradients  = []string{"row", "sag", "saga", "svrg", "s2gd", "miso", "newton"}
	steps      = []string{"inverse", "sqrt", "power", "constant", "lipschitz", "search", "radius"}
	geometries = []string{"euclidean", "p-norm", "entropic", "diagonal"}
	samplings  = []string{"uniform", "permuted", "cyclic", "lipschitz"}
	outputs    = []string{"best", "last", "average", "weighted", "suffix", "random"}
)

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "stochastic",
		Facts:   registry.Facts{Rate: "of its parts", Memory: "at most two numbers a row"},
		Summary: "any stochastic method by its parts: gradient=row, step=inverse, geometry=euclidean, sampling=uniform, output=best",
		New: func(p *registry.Params) (solver.Solver, error) {
			m := Method{name: "stochastic"}
			m.gradient = p.Choice("gradient", gradients...)
			m.geometry = p.Choice("geometry", geometries...)
			m.ball = p.Choice("ball", "off", "on") == "on"
			m.offset = -1
			auto := false
			if m.extra, auto = p.FloatOr("catalyst", "auto", 0, "a number >= 0", nonnegative); auto {
				m.extra = -1
			}
			return m.usual().with(p)
		}})
}

// usual returns m with the step that is usual for its gradient.
func (m Method) usual() Method {
	fraction := map[string]float64{"sag": 1, "saga": 1. / 3, "svrg": 0.25, "s2gd": 0.25, "miso": 1}[m.gradient]
	if fraction > 0 {
		m.step, m.gamma = "lipschitz", fraction
	}
	return m
}

// register adds a named method; its parameters are those of its parts.
func register(summary string, facts registry.Facts, m Method) {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: m.name, Summary: summary, Facts: facts,
		New: func(p *registry.Params) (solver.Solver, error) { return m.with(p) }})
}

// first returns names with one of them in front.
func first(name string, names []string) []string {
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
	if name == "" {
		return rest
	}
	return append([]string{name}, rest...)
}

func positive(v float64) bool    { return v > 0 && v <= math.MaxFloat64 }
func nonnegative(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }

// with returns m with the parameters that p has.
func (m Method) with(p *registry.Params) (solver.Solver, error) {
	if m.gradient == "" {
		m.gradient = gradients[0]
	}
	if m.geometry == "" {
		m.geometry = geometries[0]
	}
	m.step = p.Choice("step", first(m.step, steps)...)
	m.sampling = p.Choice("sampling", first(m.sampling, samplings)...)
	usual := first(m.output, outputs)[0]
	m.output = p.Choice("output", first(m.output, outputs)...)
	m.asked = m.output != usual
	m.gamma, _ = p.FloatOr("gamma", "auto", m.gamma, "a number > 0", positive)
	m.beta = p.Float("beta", max(m.beta, 0.75), "a number > 0, at most 1", func(v float64) bool { return v > 0 && v <= 1 })
	m.offset, _ = p.FloatOr("offset", "auto", m.offset, "a number >= 0", nonnegative)
	m.batch = p.Int("batch", max(1, m.batch), 1, math.MaxInt32)
	growth, tested := p.FloatOr("growth", "test", 0, "a number >= 1", func(v float64) bool { return v >= 1 && v <= 1e6 })
	if m.growth = max(1, growth); tested || growth > 0 {
		m.tested = tested
	}
	m.inner = p.Float("inner", max(m.inner, 2), "a number > 0 of passes between snapshots", positive)
	m.snapshot = p.Choice("snapshot", "last", "random")
	m.decays(p)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return m, m.check()
}

// Traits say that an output which is asked for is that of the end of a run.
func (m Method) Traits() solver.Traits { return solver.Traits{Last: m.asked && m.output != "best"} }

// averages reports whether the output is one of iterates with weights.
func (m Method) averages() bool {
	return slices.Contains([]string{"best", "average", "weighted", "suffix"}, m.output)
}

// finite reports whether the gradient estimate is of a finite sum: exact at the optimum.
func (m Method) finite() bool { return m.gradient != "row" && m.gradient != "newton" }

// several reports whether steps are of several rows, or become so.
func (m Method) several() bool { return m.batch > 1 || m.growth > 1 || m.tested }

// check refuses parts that do not go together.
func (m Method) check() error {
	switch {
	case m.gradient != "row" && m.geometry != "euclidean":
		return fmt.Errorf("gradient=%s: expected geometry=euclidean, found geometry=%s", m.gradient, m.geometry)
	case m.finite() && m.averages() && m.output != "best":
		return fmt.Errorf("gradient=%s: expected output=last, as its iterates converge by themselves, found output=%s", m.gradient, m.output)
	case m.ball && m.gradient != "row":
		return fmt.Errorf("gradient=%s: expected ball=off, found ball=on", m.gradient)
	case m.extra != 0 && m.gradient != "saga":
		return fmt.Errorf("catalyst: expected gradient=saga, found gradient=%s", m.gradient)
	case m.step == "search" && m.several():
		return fmt.Errorf("step=search: expected steps of one row, found batches")
	case m.sampling == "lipschitz" && m.several():
		return fmt.Errorf("sampling=lipschitz: expected steps of one row, found batches")
	case m.sampling == "lipschitz" && m.geometry == "diagonal":
		return fmt.Errorf("sampling=lipschitz: expected another geometry than diagonal, whose penalty counts on uniform sampling")
	}
	return nil
}

// Accepts wants what the parts of the method need: of the loss a slope or a curvature that is
// bounded, of the penalty the form that the geometry knows.
func (m Method) Accepts(p problem.Problem) error {
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if math.IsInf(l.Loss.Smoothness(), 1) && parts.Steep(l) {
		return m.needs("a loss that is smooth or of bounded slope, which %s is not: its steps would overflow; use sdca", loss.Name(l.Loss))
	}
	if err := m.acceptsPenalty(l.Penalty); err != nil {
		return err
	}
	n, _ := l.Dims()
	_, curved := l.Loss.(loss.Curved)
	switch smooth := !math.IsInf(l.Loss.Smoothness(), 1); {
	case !smooth && (m.finite() || m.step == "lipschitz" || m.step == "search" || m.extra != 0):
		return m.needs("a smooth loss such as squared-hinge, logistic or squared: %s has corners, at which gradients do not settle", loss.Name(l.Loss))
	case m.gradient == "newton" && !curved:
		return m.needs("a loss with a second derivative, which %s has not", loss.Name(l.Loss))
	case m.gradient == "miso" && l.Bias == problem.Free:
		return m.needs("the bias none or feature: its weights are sums over rows divided by lambda, which a bias without a penalty is not")
	case m.batch > n:
		return m.needs("batches of at most as many rows as there are: found batch=%d, expected at most %d", m.batch, n)
	}
	return nil
}

// acceptsPenalty refuses penalties that the geometry does not know.
func (m Method) acceptsPenalty(p penalty.Penalty) error {
	l1, l2, elastic := penalty.Coefficients(p)
	norm, _ := penalty.BallOf(p)
	switch {
	case m.step == "radius" && norm != 2:
		return m.needs("a bound on the norm, 'radius' with the penalty l2: its steps are of the size of the ball")
	case norm == 2 && m.gradient == "row" && m.geometry == "euclidean" && m.step != "inverse" && !m.ball:
		return nil
	case m.geometry == "p-norm":
		if _, ok := p.(penalty.PNorm); !ok {
			return m.needs("the penalty l2 or lp: its weights are gradients of a conjugate of a squared norm")
		}
	case m.geometry == "entropic":
		if !elastic || l1 != 1 || l2 != 0 {
			return m.needs("the penalty l1: it divides a ball of the l1-norm among the weights")
		}
	case (m.ball || m.gradient == "miso" || m.extra != 0 || m.gradient == "sag" || m.gradient == "newton") && !penalty.IsRidge(p):
		return m.needs("the penalty l2: its steps rely on it")
	case !elastic:
		return m.needs("the penalty l2, l1 or elastic-net: its steps shrink one weight after the other")
	case m.step == "inverse" && l2 == 0:
		return m.needs("a strongly convex penalty (l2 or elastic-net) for step=inverse: expected step=sqrt")
	case l1 > 0 && m.geometry == "euclidean" && m.averages() && m.output != "best":
		return m.needs("output=last, best or random with this penalty: averages of iterates have no zeros")
	}
	return nil
}

// needs returns the refusal.
func (m Method) needs(format string, args ...any) error {
	return fmt.Errorf("solver "+m.name+" needs "+format, args...)
}
