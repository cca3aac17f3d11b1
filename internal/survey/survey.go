// Package survey tells what the choice of a method depends on: sizes, norms and the condition of a
// problem; the parts of the excess risk of a model; and how two linear models differ. Nothing is trained here.
package survey

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Survey is what the choice of a method for a linear model depends on. Of several classes
// it is about the first problem.
type Survey struct {
	Rows            int     `json:"n"`
	Features        int     `json:"d"`
	Nonzeros        int64   `json:"nonzeros"`
	MaxSquaredNorm  float64 `json:"max_squared_norm"` // of the rows, scaled as for training
	MeanSquaredNorm float64 `json:"mean_squared_norm"`
	Classes         int     `json:"classes"` // 0: the targets are numbers
	Loss            string  `json:"loss"`
	Penalty         string  `json:"penalty"`
	Lambda          float64 `json:"lambda"`
	C               float64 `json:"C"`
	Kinked          bool    `json:"kinked"` // the loss has kinks
	Corner          bool    `json:"corner"` // the penalty has a corner
	Solver          string  `json:"solver"` // as asked for, or that auto chooses
	Why             string  `json:"solver_why"`

	// Condition is (L R^2 + mu)/mu of a loss with a derivative that rises by L at most, R^2
	// the largest squared norm, mu = lambda times the strong convexity of the penalty; R^2/mu if
	// the loss has kinks (of slope 1). It leaves out the bias. nil: the penalty is not
	// strongly convex.
	Condition *float64 `json:"condition"`
}

// Examine surveys the data for a spec of a linear model; it trains nothing.
func Examine(ctx context.Context, set *data.Set, spec fenchel.Spec) (*Survey, error) {
	of, err := spec.Pose(ctx, set)
	if err != nil {
		return nil, err
	}
	p, linear := of.First.Problem.(*problem.Linear)
	if !linear || of.Single {
		return nil, pose.DataError{Reason: "found one class, or no linear model with a lambda: there is no method to choose"}
	}
	s := &Survey{Rows: set.Rows(), Features: set.Cols(), Nonzeros: matrix.Nonzeros(of.Features), MeanSquaredNorm: p.MeanSquaredNorm(),
		Classes: len(of.Labels.Classes), Loss: of.Statement.Loss, Penalty: of.Statement.Penalty, Lambda: p.Lambda, C: of.C, Solver: of.Statement.Solver, Why: of.Why}
	for _, norm := range p.SquaredNorm {
		s.MaxSquaredNorm = max(s.MaxSquaredNorm, norm)
	}
	s.Kinked, s.Corner = cornersOf(p.Loss, p.Penalty)
	if mu := p.Lambda * p.Penalty.StrongConvexity(); mu > 0 {
		condition := s.MaxSquaredNorm / mu
		if !s.Kinked {
			condition = float64(p.Loss.Smoothness()*condition) + 1
		}
		condition = min(max(1, condition), math.MaxFloat64)
		s.Condition = &condition
	}
	return s, nil
}

// Setting is what theory needs to know, for an accuracy.
func (s *Survey) Setting(accuracy float64) theory.Setting {
	t := theory.Setting{Rows: float64(s.Rows), Accuracy: accuracy, Kinked: s.Kinked, Corner: s.Corner}
	if s.Condition != nil {
		t.Condition = *s.Condition
	}
	return t
}

// Corners reports whether a loss of that name has kinks, and a penalty a corner. No loss counts as
// smooth, no penalty as l2.
func Corners(lossName, penaltyName string) (kinked, corner bool, err error) {
	l, err := loss.New(cmp.Or(lossName, "squared"))
	if err != nil {
		return false, false, err
	}
	p, err := penalty.New(cmp.Or(penaltyName, "l2"))
	if err != nil {
		return false, false, err
	}
	kinked, corner = cornersOf(l, p)
	return kinked, corner, nil
}

// cornersOf is Corners of the terms themselves.
func cornersOf(l loss.Loss, p penalty.Penalty) (kinked, corner bool) {
	l1, _, _, elastic := penalty.Corners(p)
	return math.IsInf(l.Smoothness(), 1), elastic && l1 > 0 || p.StrongConvexity() == 0
}

// Decompose estimates the parts of the excess risk of a model. Its risk is the mean loss on the
// test rows. Three quantities stand for numbers that are not known: the risk less the proved gap
// for the risk of the optimum on the training rows, the mean loss on the training rows for the
// least risk of the class, and least for the least risk of any function: 0, or the risk of a
// richer model, see [Risk].
func Decompose(m *model.Model, training, test *data.Set, least float64, threads int) (*theory.Decomposition, error) {
	gap := 0.0
	for _, o := range m.Outputs {
		gap += float64(o.Certificate.Primal - o.Certificate.Dual)
	}
	if math.IsNaN(gap) || math.IsInf(gap, 0) {
		return nil, errors.New("the model has no certificate: how far its objective is from the best possible is not known")
	}
	known, err := Risk(m, m, training, threads)
	if err != nil {
		return nil, err
	}
	risk, err := Risk(m, m, test, threads)
	if err != nil {
		return nil, err
	}
	d := theory.Decompose(risk, risk-gap, known, least)
	return &d, nil
}

// Risk returns the mean loss of a model m on a set, summed over its outputs. An error says if the
// model by, with which it is to be compared, has another loss or another number of outputs.
func Risk(m, by *model.Model, set *data.Set, threads int) (float64, error) {
	if err := pose.CheckPair(m, set); err != nil {
		return 0, err
	}
	if m.Statement.Loss != by.Statement.Loss || len(m.Outputs) != len(by.Outputs) {
		return 0, fmt.Errorf("found a model by the loss %s with %d predictions a row, expected %s with %d", m.Statement.Loss, len(m.Outputs), by.Statement.Loss, len(by.Outputs))
	}
	if s := m.Statement; m.OneClass() || s.Scheme == model.OneAgainstOne || m.IsJoint() || s.Nu != 0 || s.Slack != 0 || s.HardMargin {
		return 0, errors.New("the risk of one-class, one-against-one, joint, nu and slack models is no mean of losses of single predictions: expected another model")
	}
	t, err := pose.TermsOf(m.Statement, pose.CustomOf(m))
	if err != nil {
		return 0, err
	}
	y, err := pose.Relabel(m, set)
	if err != nil {
		return 0, err
	}
	x, err := m.Prepare(set.X)
	if err != nil {
		return 0, pose.DataError{Reason: err.Error()}
	}
	weights, total := pose.OrOnes(y.Weights(set.Weight), set.Rows()), 0.0
	scores := model.Scores(m, x, threads)
	for c := range m.Outputs {
		for i, target := range y.Targets(c, threads) {
			total += float64(weights[i] * t.Loss.Value(scores[i][c], target))
		}
	}
	return total / pose.Sum(weights), nil
}
