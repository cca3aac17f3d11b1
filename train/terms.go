package train

import (
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/loss/joint"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// terms are what an objective is made of.
type terms struct {
	loss    loss.Loss
	joint   joint.Loss // judges all classes at once; nil: one loss of one prediction
	penalty penalty.Penalty
	bias    problem.Bias

	radius, slack, nu float64 // 0, or stated by Spec
	hard              bool    // no slack
	oneClass          bool
}

// margin reports whether the largest margin is sought.
func (t terms) margin() bool { return t.slack != 0 || t.hard }

// newTerms makes terms by their names, or takes the program's own.
func newTerms(o own, lossName, penaltyName, biasName string) (t terms, err error) {
	if t.loss, err = o.pickLoss(lossName); err != nil {
		return t, err
	}
	if joint.Is(lossName) {
		t.joint, _ = joint.New(lossName) // known by then
	}
	if t.penalty, err = o.pickPenalty(penaltyName); err != nil {
		return t, err
	}
	t.bias, err = problem.ParseBias(biasName)
	return t, err
}

// termsOf makes the terms of a statement.
func termsOf(s model.Statement, o own) (terms, error) {
	t, err := newTerms(o, s.Loss, s.Penalty, s.Bias)
	t.radius, t.slack, t.hard, t.nu, t.oneClass = s.Radius, s.Slack, s.HardMargin, s.Nu, s.Task == OneClass
	return t, err
}
