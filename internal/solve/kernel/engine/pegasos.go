package engine

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Pegasos is stochastic subgradient descent on the regularised objective
// (Shalev-Shwartz, Singer, Srebro, Cotter 2011; thesis 4.1.2, of which the
// printed sign is wrong).
//
//	Problem     problem.Kernel with bias none or feature, any loss of bounded slope
//	Symbols     t step, i a random row (with probability s_i/N), r = K beta,
//	            g = l_i'(r_i) before the step
//	Update      w <- (1 - 1/t) w - g/(lambda t) Phi(x_i)
//	Count form  beta = G/(lambda t), where G_i is minus the sum of the g drawn on
//	            row i: for the hinge, y_i times a whole number. Nothing is ever
//	            multiplied, as step 1 by zero.
//	Returned    the average of the iterates, the last one, or by default the better
//	            of both; dual variables are the means of the g met on each row, step
//	            t with weight t
//	Cost        one row of the matrix where g is not 0, else nothing; an epoch is
//	            n steps
//
// After T steps P - P* is O(log T/(lambda T)). For a small gap use another
// solver.
//
// The primal gradient solver, pgs (Zhu, Chen, Wang, Zhu, Chen 2009; its norm is the 2-norm here),
// divides the same sums by lambda (t+1): its first step is half as long.
type Pegasos struct {
	Output string // "better", "average", "last"; "": better
	Offset float64
}

var _ solver.Describer = Pegasos{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "pegasos",
		Summary: "stochastic subgradient; bias none or feature, loss of bounded slope; output=better|average|last",
		Facts:   registry.Facts{Rate: "1/(lambda t) in steps", Memory: "a number a row", Source: "Shalev-Shwartz, Singer, Srebro 2007"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return Pegasos{Output: p.Choice("output", "better", "average", "last")}, nil
		}})
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "pgs",
		Summary: "primal gradient solver (dual averaging); bias none or feature, loss of bounded slope; output=better|average|last",
		Facts:   registry.Facts{Rate: "1/(lambda t) in steps", Memory: "a number a row", Source: "Nesterov 2009"},
		New: func(p *registry.Params) (solver.Solver, error) {
			return Pegasos{Output: p.Choice("output", "better", "average", "last"), Offset: 1}, nil
		}})
}

// Traits say that the bias is a feature, and that an output which is asked for is that of the end.
func (g Pegasos) Traits() solver.Traits {
	return solver.Traits{Bias: "feature", Last: g.Output == "last" || g.Output == "average"}
}

// Accepts wants a bounded slope and no free bias.
func (g Pegasos) Accepts(p problem.Problem) error {
	name := "pegasos"
	if g.Offset > 0 {
		name = "pgs"
	}
	k, err := support.KernelProblem(p)
	if err != nil {
		return err
	}
	if err := refuseFree(name, &k.Risk); err != nil {
		return err
	}
	return refuseSteep(name, &k.Risk)
}

// Start begins at zero, or at the weights of the warm start as if after one epoch.
func (g Pegasos) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	s := newDescent(&k.Risk, k.Gram, cmp.Or(g.Output, "better"), start)
	s.offset = g.Offset
	if s.t > 0 {
		s.e.multiply(k.Lambda * (s.t + s.offset))
		s.e.flatten()
	}
	s.e.rescale(1 / (k.Lambda * max(s.t+s.offset, 1)))
	return s
}
