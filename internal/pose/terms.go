package pose

import (
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// Terms are what an objective is made of.
type Terms struct {
	Loss    loss.Loss
	Joint   joint.Loss // judges all classes at once; nil: one loss of one prediction
	Penalty penalty.Penalty
	bias    problem.Bias

	Constant float64 // value of the constant column where the bias is a feature; otherwise 1

	Radius, Slack, Nu float64 // 0, or stated by Spec
	Hard              bool    // no slack
	OneClass          bool
}

// Margin reports whether the largest margin is sought.
func (t Terms) Margin() bool { return t.Slack != 0 || t.Hard }

// NewTerms makes terms by their names, or takes the program's own.
func NewTerms(o Custom, lossName, penaltyName, biasName string) (t Terms, err error) {
	if t.Loss, err = o.PickLoss(lossName); err != nil {
		return t, err
	}
	if joint.Is(lossName) {
		t.Joint, _ = joint.New(lossName) // known by then
	}
	if t.Penalty, err = o.pickPenalty(penaltyName); err != nil {
		return t, err
	}
	t.bias, t.Constant, err = problem.ParseConstant(biasName)
	return t, err
}

// TermsOf makes the terms of a statement.
func TermsOf(s model.Statement, o Custom) (Terms, error) {
	t, err := NewTerms(o, s.Loss, s.Penalty, s.Bias)
	t.Radius, t.Slack, t.Hard, t.Nu, t.OneClass = s.Radius, s.Slack, s.HardMargin, s.Nu, s.Task == OneClass
	return t, err
}
