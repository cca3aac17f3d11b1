package pose

import (
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	networksolver "github.com/fenchel-ml/fenchel/internal/solve/network"
	"github.com/fenchel-ml/fenchel/matrix"
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

// NetworkFamily is that of networks: one network predicts the scores of all classes.
type NetworkFamily struct {
	rows *problem.Rows
	of   model.Statement
}

func (f NetworkFamily) problem(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error) {
	r, err := problem.NetworkRisk(f.rows, y, weights, t.Loss, lambda)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.network(r, nil)
	return p, r, err
}

func (f NetworkFamily) joint(t Terms, y *Labels, weights []float64, lambda float64) (problem.Problem, *problem.JointRisk, error) {
	r, err := problem.NetworkJointRisk(f.rows, y.Class, len(y.Classes), weights, t.Joint, lambda)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.network(nil, r)
	return p, r, err
}

func (f NetworkFamily) network(r *problem.Risk, all *problem.JointRisk) (problem.Problem, error) {
	p, err := problem.NewNetwork(f.rows, f.of.Hidden, f.of.Activation, r, all, networksolver.HeldBy(f.of.Solver), f.of.Seed)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Solver makes the solver of that name.
func (NetworkFamily) Solver(name string) (solver.Solver, error) { return networksolver.New(name) }

// Choose names the usual one.
func (NetworkFamily) Choose(problem.Problem, float64) (name, why string) {
	return networksolver.Usual, "the length of its steps fits most networks"
}

// Store takes the one point apart: hidden layers, and the weights and bias of each output.
func (f NetworkFamily) Store(m *model.Model, points []problem.Point) {
	_, d := f.rows.X.Dims()
	shape, _ := network.New(d, f.of.Hidden, len(m.Outputs), f.of.Activation) // the problem has it too
	w := points[0].W
	m.Network = &model.Network{Shape: shape, Weights: w[:shape.Hidden()]}
	last := shape.Last(w)
	for c := range m.Outputs {
		column := make([]float64, last.In)
		for k := range column {
			column[k] = last.Weights[k*last.Out+c]
		}
		m.Outputs[c].Weights, m.Outputs[c].Bias = column, last.Bias[c]
	}
}

// Weights puts the point together again.
func (f NetworkFamily) Weights(m *model.Model, _ int) []float64 {
	w := make([]float64, m.Network.Parameters())
	copy(w, m.Network.Weights)
	last := m.Network.Last(w)
	for c, o := range m.Outputs {
		for k, x := range o.Weights {
			last.Weights[k*last.Out+c] = x
		}
		last.Bias[c] = o.Bias
	}
	return w
}

// Predict sets zeros: predictions are for dual points, and networks have none.
func (NetworkFamily) Predict(dst, _ []float64) { clear(dst) }

// LinearFamily is that of linear models. With a constant column of another value than 1 that column is the last of
// the rows, and the problems have no bias.
type LinearFamily struct {
	rows     *problem.Rows
	constant float64 // its value; 0: there is none among the rows
}

// widened has copies of the rows with a constant column.
func (f LinearFamily) widened(value float64, threads int) LinearFamily {
	n, d := f.rows.X.Dims()
	var x matrix.Matrix
	if matrix.IsDense(f.rows.X) {
		dense := &matrix.Dense{Rows: n, Cols: d + 1, Value: make([]float32, 0, n*(d+1))}
		for i := range n {
			dense.Value = append(append(dense.Value, f.rows.X.Row(i).Value...), float32(value))
		}
		x = dense
	} else {
		sparse := &matrix.CSR{Cols: d + 1}
		var index []uint32
		var row []float32
		for i := range n {
			v := f.rows.X.Row(i)
			index, row = index[:0], append(append(row[:0], v.Value...), float32(value))
			for k := range v.Value {
				index = append(index, uint32(v.Column(k)))
			}
			sparse.Append(append(index, uint32(d)), row)
		}
		x = sparse
	}
	return LinearFamily{problem.NewRows(x, threads), value}
}

// bias is that of the problems.
func (f LinearFamily) bias(t Terms) problem.Bias {
	if f.constant != 0 {
		return problem.None
	}
	return t.bias
}

// Point makes the weights of features and the bias, d+1 numbers, a point of a problem.
func (f LinearFamily) Point(w []float64) []float64 {
	if d := len(w) - 1; f.constant != 0 {
		w = append(w[:d:d], w[d]/f.constant, 0)
	}
	return w
}

func (f LinearFamily) problem(t Terms, y, weights []float64, lambda float64) (problem.Problem, *problem.Risk, error) {
	if t.Slack != 0 {
		p, err := problem.NewLinearSlack(f.rows, y, t.Slack, f.bias(t))
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
	p, err := problem.NewLinear(f.rows, y, weights, t.Loss, t.Penalty, lambda, f.bias(t))
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

func (f LinearFamily) Store(m *model.Model, points []problem.Point) {
	d := f.Cols()
	for c, p := range points {
		m.Outputs[c].Weights, m.Outputs[c].Bias = p.W[:d], p.W[d]
		if f.constant != 0 {
			m.Outputs[c].Bias *= f.constant
		}
	}
}

func (f LinearFamily) Weights(m *model.Model, c int) []float64 {
	o := m.Outputs[c]
	return f.Point(append(o.Weights[:len(o.Weights):len(o.Weights)], o.Bias)) // a copy
}

// Cols is the number of features.
func (f LinearFamily) Cols() int {
	_, d := f.rows.X.Dims()
	if f.constant != 0 {
		d--
	}
	return d
}

func (f LinearFamily) Predict(dst, w []float64) { f.rows.Predict(dst, w) }
