package engine

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// SGD is projected stochastic subgradient descent on the norm-constrained
// problem (Zinkevich 2003; thesis 4.1.1, of which the printed sign is wrong).
//
//	Problem     problem.NormConstrained with bias none or feature, any loss of
//	            bounded slope
//	Constraint  |w| <= R
//	Symbols     t step, i a random row (with probability s_i/N), r = K beta,
//	            g = l_i'(r_i), L a bound on |g|, kappa = max K_ii
//	Update      w <- w - eta g Phi(x_i),  eta = R sqrt(2/t) / (L sqrt(kappa))
//	            w <- w min(1, R/|w|)
//	Returned    the average of the iterates, with weighted (an extension) step t
//	            with weight t, or the last one; dual variables are the means of the g
//	            met on each row, step t with weight t
//	Cost        one row of the matrix where g is not 0, else nothing; an epoch is
//	            n steps
//
// After T steps the average is expected to be 2 sqrt(2) R L sqrt(kappa/T) above the
// optimum at most (the thesis prints a constant that no method reaches). On 300
// points of the plane, with the R of lambda = 1/300, it is 40 times nearer after 300
// epochs; weighted takes a quarter off that, and more with a smaller R.
type SGD struct {
	Output string // "average", "weighted", "last"; "": average
}

var _ solver.Describer = SGD{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "sgd",
		Summary: "stochastic subgradient in a ball: norm-constrained problems, bias none or feature; output=average|weighted|last",
		Facts:   registry.Facts{Rate: "1/sqrt t in steps", Memory: "a number a row", Source: "Zinkevich 2003; thesis 2.1"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return SGD{p.Choice("output", "average", "weighted", "last")}, nil
		}})
}

// Traits say that the bias is a feature.
func (SGD) Traits() solver.Traits { return solver.Traits{Bias: "feature"} }

// Accepts wants a bound on the norm.
func (SGD) Accepts(p problem.Problem) error {
	b, ok := p.(*problem.NormConstrained)
	if !ok {
		return support.OtherKind("sgd", "a radius", p)
	}
	if err := refuseFree("sgd", &b.Risk); err != nil {
		return err
	}
	return refuseSteep("sgd", &b.Risk)
}

// Start begins at zero, or at the weights of the warm start as if after one epoch.
func (g SGD) Start(p problem.Problem, start solver.Start) solver.State {
	b, from := p.(*problem.NormConstrained), start.From
	s := &sgd{p: b, output: g.Output, draws: newDraws(&b.Risk, start.Seed), met: newMeans(b.Len(), from)}
	var w []float64
	if from != nil && from.W != nil {
		w = from.W
		s.t = float64(b.Len())
	}
	s.supported = newSupported(newEngine(b.Gram, b.Constant(), w, true), start)
	s.Rows = func() (all, spared int) { return s.met.support(s.e) }
	s.e.project(b.Radius)
	s.eta = b.Radius * math.Sqrt2 / (steepest(&b.Risk) * support.Longest(b.Gram, b.Constant()))
	return s
}

type sgd struct {
	p *problem.NormConstrained
	supported
	draws  *draws
	met    *means
	output string
	t, eta float64 // steps taken; the length of the first one
}

func (s *sgd) Epoch() {
	for range s.p.Len() {
		if s.e.ended() {
			return
		}
		s.step(s.draws.next())
	}
}

func (s *sgd) step(i int) {
	s.t++
	g := s.p.Loss.Derivative(s.e.response(i), s.p.Y[i])
	s.met.add(i, g, s.t)
	if g != 0 {
		s.e.soon = among(s.draws.coming, s.moves)
		s.e.add(i, -float64(s.eta/math.Sqrt(s.t)*g))
		s.e.project(s.p.Radius)
	}
	if s.output == "weighted" {
		s.e.count(s.t)
	} else {
		s.e.count(1)
	}
}

func (s *sgd) moves(i int) bool { return s.p.Loss.Derivative(s.e.response(i), s.p.Y[i]) != 0 }

func (s *sgd) Point() problem.Point {
	it := s.e.last()
	if s.output != "last" {
		it = s.e.average()
	}
	return problem.Point{W: it.w, A: s.met.dual(&s.p.Risk, it.responses, s.Spare)}
}
