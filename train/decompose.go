package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/theory"
)

// Decompose estimates the parts of the excess risk of a model. Its risk is the mean loss on the
// test rows. Three quantities stand for numbers that are not known: the risk less the proved gap
// for the risk of the optimum on the training rows, the mean loss on the training rows for the
// least risk of the class, and least for the least risk of any function: 0, or the risk of a
// richer model, see [Risk].
func Decompose(m *model.Model, training, test *dataset.Set, least float64, threads int) (*theory.Decomposition, error) {
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
func Risk(m, by *model.Model, set *dataset.Set, threads int) (float64, error) {
	if err := checkPair(m, set); err != nil {
		return 0, err
	}
	if m.Statement.Loss != by.Statement.Loss || len(m.Outputs) != len(by.Outputs) {
		return 0, fmt.Errorf("found a model by the loss %s with %d predictions a row, expected %s with %d", m.Statement.Loss, len(m.Outputs), by.Statement.Loss, len(by.Outputs))
	}
	if s := m.Statement; m.OneClass() || s.Scheme == model.OneAgainstOne || m.IsJoint() || s.Nu != 0 || s.Slack != 0 || s.HardMargin {
		return 0, errors.New("the risk of one-class, one-against-one, joint, nu and slack models is no mean of losses of single predictions: expected another model")
	}
	t, err := termsOf(m.Statement, ownOf(m))
	if err != nil {
		return 0, err
	}
	y, err := relabel(m, set)
	if err != nil {
		return 0, err
	}
	x, err := m.Prepare(set.X)
	if err != nil {
		return 0, DataError{err.Error()}
	}
	weights, total := orOnes(y.weights(set.Weight), set.Rows()), 0.0
	scores := Scores(m, x, threads)
	for c := range m.Outputs {
		for i, target := range y.targets(c, threads) {
			total += float64(weights[i] * t.loss.Value(scores[i][c], target))
		}
	}
	return total / sum(weights), nil
}
