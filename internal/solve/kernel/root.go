package kernel

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/solve/root"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Root solves kernel machines of bounded norm or slack by the root in C over the solver that
// [Choose] names for each C; see package root for problem, symbols, update, what is returned and cost.
//
// Problem: problem.NormConstrained, or problem.Slack with nu > 0, with any bias and a positive
// semidefinite kernel. Responses are those of working; other solvers take a product with K.
type Root struct{}

var _ solver.Describer = Root{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "root", Summary: "bounded norm or slack: the C of the same machine, by the fastest solver for each; definite kernels",
		Facts: registry.Facts{Rate: "that of working, for some ten values of C", Memory: "rows of K up to the cache", Source: "Hastie, Rosset, Tibshirani, Zhu 2004; Dowell, Jarratt 1971"},
		New:   func(*registry.Params) (solver.Solver, error) { return Root{}, nil }})
}

// Traits are those of [Working].
func (Root) Traits() solver.Traits { return dual.Working{}.Traits() }

// Accepts wants a bound, and a kernel that is an inner product.
func (Root) Accepts(p problem.Problem) error {
	var gram *gram.Gram
	switch p := p.(type) {
	case *problem.NormConstrained:
		gram = p.Gram
	case *problem.Slack:
		if gram = p.Gram; p.Nu == 0 {
			return fmt.Errorf("root needs slack, found 0: expected more, or the solver hard-margin")
		}
	default:
		return support.OtherKind("root", "a bound on the norm or the slack", p)
	}
	if !gram.Definite() {
		return fmt.Errorf("root needs a positive semidefinite kernel, found %s: expected another kernel, or the solver sgd or sbp", kernel.Name(gram.Kernel))
	}
	return nil
}

// Start begins at a C that is too small.
func (Root) Start(p problem.Problem, start solver.Start) solver.State {
	start.From = nil // of another problem: its C is not known
	if s, ok := p.(*problem.Slack); ok {
		return root.Start(space(s.Gram, &s.Risk), 0, &s.Margins, start)
	}
	ball := p.(*problem.NormConstrained)
	return root.Start(space(ball.Gram, &ball.Risk), ball.Radius, nil, start)
}

// space is that of machines of a kernel.
func space(gram *gram.Gram, risk *problem.Risk) root.Space {
	s := root.Space{Risk: risk, Cheap: gram.Len() <= dual.MostWhole, Machine: true}
	s.Inner = func(u, v, responses []float64) float64 {
		var sum vec.Sum
		for i, r := range responses {
			sum.Add(u[i] * r)
		}
		return sum.Value()
	}
	s.At = func(lambda float64) problem.Problem {
		k, err := problem.NewKernel(gram, risk.Y, risk.S, risk.Loss, lambda, risk.Bias)
		if err != nil {
			panic(err) // the problem with the bound has checked the same
		}
		return k
	}
	s.Choose = func(p problem.Problem, gap float64) solver.Solver {
		if gap < 1e-6 && gram.Len() <= dual.MostWhole && (dual.ActiveSet{}).Accepts(p) == nil {
			return dual.ActiveSet{}
		}
		name, _ := Choose(p.(*problem.Kernel), gap)
		chosen, _ := New(name)
		return chosen
	}
	s.Respond = func(dst []float64, pt problem.Point, from solver.State) {
		if r := dual.Responses(from); r != nil {
			copy(dst, r)
			return
		}
		respond(gram, risk, dst, pt.W)
	}
	s.Weigh = func(v []float64) float64 {
		r, sum := make([]float64, len(v)), vec.Total(v)
		gram.Combine(r, v)
		return s.Inner(v, v, r) + float64(risk.Constant()*sum*sum)
	}
	return s
}

// respond sets dst to the responses of weights, with a bias that is a feature.
func respond(gram *gram.Gram, risk *problem.Risk, dst, w []float64) {
	n := len(dst)
	gram.Combine(dst, w[:n])
	if risk.Bias == problem.Feature {
		for i := range dst {
			dst[i] += w[n]
		}
	}
}
