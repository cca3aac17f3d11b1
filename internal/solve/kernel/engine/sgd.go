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
	b := p.(*problem.NormConstrained)
	s := newDescent(&b.Risk, b.Gram, g.Output, start)
	s.radius = b.Radius
	s.e.project(b.Radius)
	s.first = b.Radius * math.Sqrt2 / (steepest(&b.Risk) * support.Longest(b.Gram, b.Constant()))
	return s
}
