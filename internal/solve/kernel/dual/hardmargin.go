package dual

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// HardMargin finds the largest margin of separable rows (Vapnik 1995; Ulbrich notes 3.1;
// reference kernel_qp 1.1).
//
// Problem: problem.Slack with nu = 0 and a positive semidefinite kernel, any bias:
//
//	max over |w| <= 1 of min_i y_i (<w,Phi(x_i)> + b),
//
// of which the optimum is w/|w| for the machine of the hinge loss at any C that no coefficient
// beta_i reaches. Those machines are solved by Working, for C = 16/kappa and then eight times as
// much each time that a coefficient is at C, from the coefficients before; kappa = max K_ii. With
// p_i = |beta_i| / sum |beta|,
//
//	|sum_i p_i y_i Phi(x_i)|
//
// bounds every margin. Rows that nothing separates send it to 0: the run ends where it is below
// 1e-6 of sqrt(kappa) and no margin is positive, or at a C of 1e14/kappa.
//
// Returned is the last iterate, of norm 1. Cost of an epoch: that of Working.
type HardMargin struct{}

var _ solver.Solver = HardMargin{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "hard-margin", Summary: "the largest margin of separable rows: problems with a slack of 0, definite kernels",
		Facts: registry.Facts{Rate: "that of working, for some ten values of C", Memory: "rows of K up to the cache", Source: "Vapnik 1995; Joachims 1999"},
		New:   func(*registry.Params) (solver.Solver, error) { return HardMargin{}, nil }})
}

// Accepts wants no slack, and a kernel that is an inner product.
func (HardMargin) Accepts(p problem.Problem) error {
	s, ok := p.(*problem.Slack)
	switch {
	case !ok:
		return support.OtherKind("hard-margin", "a slack of 0", p)
	case s.Nu != 0:
		return fmt.Errorf("hard-margin allows no slack: found %g, expected 0, or the solver sbp", s.Nu)
	case !s.Definite():
		return fmt.Errorf("hard-margin needs a positive semidefinite kernel, found %s: expected another kernel, or the solver sbp", kernel.Name(s.Kernel))
	}
	return nil
}

// Start begins at zero.
func (HardMargin) Start(p problem.Problem, start solver.Start) solver.State {
	s := &hardMargin{p: p.(*problem.Slack), over: start.Over, w: make([]float64, p.(*problem.Slack).Len()+1)}
	s.kappa = support.Longest(s.p.Gram, s.p.Constant())
	s.kappa *= s.kappa
	s.machine(16/s.kappa, make([]float64, s.p.Len()))
	support.SupportOf(start, s.support)
	return s
}

// hardMargin is one run.
type hardMargin struct {
	p        *problem.Slack
	over     support.Limit
	kappa    float64
	c        float64 // of the machine
	inner    *working
	rounds   int // of this machine
	margin   float64
	above    float64 // no margin is larger
	end      error
	water    water.Filling
	w, a     []float64
	work     []float64
	prepared bool // w, a, margin and above are of the coefficients
}

const (
	growth     = 8    // of C
	mostRounds = 200  // for one C
	mostCost   = 1e14 // times 1/kappa
	noMargin   = 1e-6 // times sqrt(kappa): a bound on the margin below which rows count as not separable
)

// machine makes the problem for a C, begun at dual variables.
func (s *hardMargin) machine(c float64, a []float64) {
	k, err := problem.NewKernel(s.p.Gram, s.p.Y, nil, loss.Hinge{}, 1/(c*s.p.N), s.p.Bias)
	if err != nil {
		panic(err) // the problem with slack has checked the same
	}
	s.c, s.rounds = c, 0
	s.inner = newWorking(k, DefaultSet, 0.1, &problem.Point{A: a}, s.over)
}

// Epoch is one round of the machine; where that is done a larger C begins.
func (s *hardMargin) Epoch() {
	s.inner.Epoch()
	s.rounds++
	s.prepared = false
	if s.over.Reached() || s.p.Cut() {
		return
	}
	r := s.inner.Report()
	bounded := s.bounded()
	if r.End == nil && s.rounds < mostRounds && !(bounded && r.Gap < 1e-3) {
		return
	}
	s.prepare()
	switch {
	case !(s.margin > 0) && s.above <= noMargin*math.Sqrt(s.kappa):
		s.end = fmt.Errorf("the rows are not separable: no margin is larger than %.3g", s.above)
	case !bounded:
		s.end = r.End
	case s.c*growth*s.kappa > mostCost:
		s.end = fmt.Errorf("a coefficient reaches C = %.3g: no larger C is tried", s.c)
	default:
		pt := s.inner.Point()
		for i := range pt.A {
			pt.A[i] /= growth
		}
		s.machine(s.c*growth, pt.A)
	}
}

// bounded reports whether a coefficient is at C.
func (s *hardMargin) bounded() bool {
	d := s.inner.Dual
	for i, b := range d.Beta {
		if b != 0 && (b <= d.Lo[i] || b >= d.Hi[i]) {
			return true
		}
	}
	return false
}

// prepare makes the point of norm 1, its margin and the bound on all margins.
func (s *hardMargin) prepare() {
	if s.prepared {
		return
	}
	s.prepared = true
	d, n := s.inner.Dual, s.p.Len()
	var squared, masses vec.Sum
	for i, b := range d.Beta {
		squared.Add(b * d.R[i])
		masses.Add(math.Abs(b))
	}
	norm := math.Sqrt(max(0, squared.Value()))
	s.above, s.margin = math.Inf(1), 0
	clear(s.w)
	s.a = s.a[:0]
	for _, b := range d.Beta {
		s.a = append(s.a, -b)
	}
	if !(norm > 0) {
		if masses.Value() > 0 {
			s.above = 0
		}
		return
	}
	s.above = norm / masses.Value()
	s.work = s.work[:0]
	for i, b := range d.Beta {
		s.w[i] = b / norm
		s.work = append(s.work, d.R[i]/norm*s.p.Y[i])
	}
	s.margin, s.w[n] = s.p.Level(&s.water, s.work)
	if s.p.Bias == problem.Feature {
		s.w[n] = vec.Total(d.Beta) / norm
	}
}

// Report holds the gap, and why the run ends.
func (s *hardMargin) Report() solver.Report {
	s.prepare()
	return solver.Report{Gap: problem.Relative(-s.margin, -s.above, s.p.Zero()), Exact: true, End: s.end}
}

func (s *hardMargin) support() (all, spared int) { return s.inner.Dual.support() }

// Point is what prepare made.
func (s *hardMargin) Point() problem.Point {
	s.prepare()
	return problem.Point{W: s.w, A: s.a}
}
