package linear

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/solve/root"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Root solves linear models of bounded norm or slack by the root in C over the solver that
// [Choose] names for each C; see package root for problem, symbols, update, what is returned and cost.
//
// Problem: problem.Linear with a ball of the norm 2 and any loss, or problem.LinearSlack with nu > 0;
// any bias.
type Root struct{}

func init() {
	solver.Linear.Register(registry.Entry[solver.Solver]{Name: "root", Summary: "a radius with the penalty l2, or a slack: the C of the same model, by the fastest solver for each",
		Facts: registry.Facts{Rate: "that of the solver, for some ten values of C", Memory: "that of the solver", Source: "Hastie, Rosset, Tibshirani, Zhu 2004; Dowell, Jarratt 1971"},
		New:   func(*registry.Params) (solver.Solver, error) { return Root{}, nil }})
}

// Accepts wants a bound that is one of the norm 2.
func (Root) Accepts(p problem.Problem) error {
	if s, ok := p.(*problem.LinearSlack); ok {
		if s.Nu == 0 {
			return errors.New("solver root needs slack, found 0: expected more, or a kernel and the solver hard-margin")
		}
		return nil
	}
	l, err := parts.Linear(p)
	if err != nil {
		return err
	}
	if norm, _ := penalty.BallOf(l.Penalty); norm != 2 {
		return fmt.Errorf("solver root needs a bound on the norm, 'radius' with the penalty l2, or on the slack: found the penalty %s", penalty.Name(l.Penalty))
	}
	return nil
}

// Start begins at a C that is too small.
func (Root) Start(p problem.Problem, start solver.Start) solver.State {
	var margins *problem.Margins
	var rows *problem.Rows
	var risk *problem.Risk
	radius := 0.0
	switch p := p.(type) {
	case *problem.Linear:
		rows, risk = p.Rows, &p.Risk
		_, radius = penalty.BallOf(p.Penalty)
	case *problem.LinearSlack:
		rows, risk, margins = p.Rows, &p.Risk, &p.Margins
	}
	start.From = nil // of another problem: its C is not known
	space := root.Space{Risk: risk, Cheap: true, Inner: func(u, v, _ []float64) float64 {
		d := len(u) - 1
		return vec.Dot64(u[:d], v[:d]) + float64(risk.Constant()*u[d]*v[d])
	}}
	space.At = func(lambda float64) problem.Problem {
		p, err := problem.NewLinear(rows, risk.Y, risk.S, risk.Loss, penalty.L2{}, lambda, risk.Bias)
		if err != nil {
			panic(err) // the problem with the bound has checked the same
		}
		return p
	}
	space.Choose = func(p problem.Problem, gap float64) solver.Solver {
		name, _ := Choose(p.(*problem.Linear), gap)
		s, _ := New(name)
		return s
	}
	space.Respond = func(dst []float64, pt problem.Point, _ solver.State) {
		w := append([]float64(nil), pt.W...)
		if risk.Bias == problem.Free {
			w[len(w)-1] = 0
		}
		rows.Predict(dst, w)
	}
	space.Weigh = func(v []float64) float64 {
		w, _ := rows.Combine(v)
		return space.Inner(w, w, nil)
	}
	return root.Start(space, radius, margins, start)
}
