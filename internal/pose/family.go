package pose

import (
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Family is a kind of problem, and of the model made of its solution: all that
// sets linear models and kernel machines apart here. It holds the rows.
type Family interface {
	// problem states the problem of one output, with targets y and row weights.
	problem(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error)
	// joint states the one problem of all classes or targets.
	joint(t Terms, y *Labels, weights []float64, lambda float64) (problem.Problem, *problem.JointRisk, error)
	// solver makes the solver of that name; choose names a good one, and why.
	Solver(name string) (solver.Solver, error)
	Choose(p problem.Problem, gap float64) (name, why string)
	// store gives every output of a model the weights of its point; weights takes
	// them out again, with the bias, as a point of the problem has them.
	Store(m *model.Model, points []problem.Point)
	Weights(m *model.Model, c int) []float64
	// predict sets dst to the predictions for all rows.
	Predict(dst, w []float64)
}

// LinearFamily is that of linear models.
type LinearFamily struct{ rows *problem.Rows }

func (f LinearFamily) problem(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error) {
	if t.Slack != 0 {
		p, err := problem.NewLinearSlack(f.rows, y, t.Slack, t.bias)
		if err == nil {
			err = p.Weigh(weights)
		}
		if err != nil {
			return nil, nil, err
		}
		return p, &p.Risk, nil
	}
	if t.Radius != 0 {
		ball, err := penalty.NewBall(t.Penalty, t.Radius)
		if err != nil {
			return nil, nil, err
		}
		t.Penalty, lambda = ball, 1 // which has no effect
	}
	p, err := problem.NewLinear(f.rows, y, weights, t.Loss, t.Penalty, lambda, t.bias)
	if err != nil {
		return nil, nil, err
	}
	return p, &p.Risk, nil
}

func (LinearFamily) Solver(name string) (solver.Solver, error) { return linear.New(name) }

func (LinearFamily) Choose(p problem.Problem, gap float64) (name, why string) {
	if _, ok := p.(*problem.LinearSlack); ok {
		return "root", "the C whose model has that slack"
	}
	return linear.Choose(p.(*problem.Linear), gap)
}

func (LinearFamily) Store(m *model.Model, points []problem.Point) {
	for c, p := range points {
		d := len(p.W) - 1
		m.Outputs[c].Weights, m.Outputs[c].Bias = p.W[:d], p.W[d]
	}
}

func (LinearFamily) Weights(m *model.Model, c int) []float64 {
	o := m.Outputs[c]
	return append(o.Weights[:len(o.Weights):len(o.Weights)], o.Bias) // a copy
}

// Cols is the number of weights without the bias.
func (f LinearFamily) Cols() int {
	_, d := f.rows.X.Dims()
	return d
}

func (f LinearFamily) Predict(dst, w []float64) { f.rows.Predict(dst, w) }
