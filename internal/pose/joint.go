package pose

import (
	"errors"
	"fmt"
	"slices"

	jointsolver "github.com/fenchel-ml/fenchel/internal/solve/joint"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A loss of all classes makes one problem of them, of which the point has the numbers of K
// outputs: weights by feature, the K of a feature side by side, and dual variables by row. A
// model has the outputs one after another, each with the certificate of the whole.

func (f LinearFamily) joint(t Terms, y *Labels, weights []float64, lambda float64) (problem.Problem, *problem.JointRisk, error) {
	var p *problem.Joint
	var err error
	if y.Names != nil {
		p, err = problem.NewJointNumbers(f.rows, append([][]float64{y.Number}, y.Further...), weights, t.Loss, t.Penalty, lambda, f.bias(t))
	} else {
		p, err = problem.NewJoint(f.rows, y.Class, len(y.Classes), weights, t.Joint, t.Penalty, lambda, f.bias(t))
	}
	if err != nil {
		return nil, nil, err
	}
	return p, &p.JointRisk, nil
}

func (f MachineFamily) joint(t Terms, y *Labels, weights []float64, lambda float64) (problem.Problem, *problem.JointRisk, error) {
	p, err := problem.NewJointKernel(f.Gram, y.Class, len(y.Classes), weights, t.Joint, lambda, t.bias)
	if err != nil {
		return nil, nil, err
	}
	return p, &p.JointRisk, nil
}

// mostJoint bounds the weights of all classes: 8 GB of numbers.
const mostJoint = 1 << 30

// jointly makes the one problem of all classes. What other problems know of losses is filled in
// as far as it goes.
func (s *Problems) jointly(o Objective) (Objective, error) {
	if f, ok := s.Family.(LinearFamily); ok {
		if k := s.Labels.Together(); int64(k)*int64(f.Cols()+1) > mostJoint {
			return o, DataError{fmt.Sprintf("found %d classes or targets of %d features, expected fewer than %d weights in all for one problem of all", k, f.Cols(), mostJoint)}
		}
	}
	var err error
	o.Problem, o.joint, err = s.Family.joint(s.Terms, s.Labels, s.Weights, s.Lambda)
	var data problem.DataError
	if errors.As(err, &data) {
		err = DataError{err.Error()}
	}
	if err == nil {
		o.Risk = &problem.Risk{S: o.joint.S, N: o.joint.N, Loss: s.Loss, Lambda: o.joint.Lambda, Bias: o.joint.Bias}
	}
	return o, err
}

// Columns is how many dual variables a row has.
func (s *Problems) Columns() int {
	if s.Labels.Joint {
		return s.Labels.Together()
	}
	return 1
}

// stacked reports whether points have the weights of all outputs by feature, as this file does; those of networks are by
// layer.
func (s *Problems) stacked() bool { return s.Labels.Joint && !s.Network() }

// Solver makes the solver of that name.
func (s *Problems) Solver(name string) (solver.Solver, error) {
	if s.stacked() {
		return jointsolver.New(name)
	}
	return s.Family.Solver(name)
}

// Choose names a good solver, and says why.
func (s *Problems) Choose(p problem.Problem, gap float64) (name, why string) {
	if s.stacked() {
		return jointsolver.Choose(p, gap)
	}
	return s.Family.Choose(p, gap)
}

// Store gives every output of a model the weights of its point; of the one point of all classes
// each takes its part, and the dual variables and the certificate too.
func (s *Problems) Store(m *model.Model, points []problem.Point) {
	if k := s.Columns(); k > 1 {
		whole := m.Outputs[0]
		m.Outputs = slices.Repeat([]model.Output{{Certificate: whole.Certificate}}, k)
		if !s.Network() {
			points = apart(points[0], k)
		}
		for c, p := range points {
			m.Outputs[c].Dual = p.A
		}
	}
	s.Family.Store(m, points)
}

// WeightsOf takes the weights of the point of problem c out of a model, with the bias; dual the
// dual variables, nil if it has none.
func (s *Problems) WeightsOf(m *model.Model, c int) []float64 {
	if !s.stacked() {
		return s.Family.Weights(m, c)
	}
	parts := make([][]float64, len(m.Outputs))
	for c := range parts {
		parts[c] = s.Family.Weights(m, c)
	}
	return Join(parts)
}

func (s *Problems) Dual(m *model.Model, c int) []float64 {
	if !s.Labels.Joint {
		return m.Outputs[c].Dual
	}
	parts := make([][]float64, len(m.Outputs))
	for c, o := range m.Outputs {
		if parts[c] = o.Dual; o.Dual == nil {
			return nil
		}
	}
	return Join(parts)
}

// apart makes a point of each of k classes out of the point of all.
func apart(p problem.Point, k int) []problem.Point {
	points := make([]problem.Point, k)
	own := func(all []float64, c int) []float64 {
		if all == nil {
			return nil
		}
		numbers := make([]float64, len(all)/k)
		for i := range numbers {
			numbers[i] = all[i*k+c]
		}
		return numbers
	}
	for c := range points {
		points[c] = problem.Point{W: own(p.W, c), A: own(p.A, c)}
	}
	return points
}

// Join puts the numbers of k classes together: those of all classes for one feature or row side by side.
func Join(parts [][]float64) []float64 {
	k := len(parts)
	all := make([]float64, k*len(parts[0]))
	for c, own := range parts {
		for i, x := range own {
			all[i*k+c] = x
		}
	}
	return all
}

// JointDerivatives returns the dual point that the weights of all classes suggest.
func (o Objective) JointDerivatives(w []float64) []float64 {
	a := make([]float64, len(o.joint.Y)*o.joint.Classes)
	switch p := o.Problem.(type) {
	case *problem.Joint:
		p.PredictTo(a, w)
	case *problem.JointKernel:
		p.Responses(a, w)
	}
	o.joint.Slopes(a, a)
	return a
}
