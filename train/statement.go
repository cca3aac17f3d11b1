package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/loss/joint"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// state completes the spec with what the targets and the weights decide: the loss and lambda.
// Then statement is the whole problem.
func (j *job) state(context.Context) error {
	if j.spec.Loss == "" && j.spec.Nu != 0 {
		j.spec.Loss = shareLosses[j.spec.Task]
	}
	if j.spec.Loss == "" {
		j.spec.Loss = map[bool]string{true: "hinge", false: "squared"}[j.labels.classes != nil]
	}
	t, err := j.spec.terms()
	if err != nil {
		return err
	}
	if _, margin := t.loss.(loss.Margin); margin && j.labels.classes == nil {
		return fmt.Errorf("loss %q separates classes, but the targets%s are numbers: choose a regression loss such as squared, or --task classification", j.spec.Loss, j.set.TargetBy)
	}
	if t.margin() && j.spec.Loss != "hinge" {
		return fmt.Errorf("slack=%g is for classes: expected the loss hinge, found %s", t.slack, j.spec.Loss)
	}
	if t.hard && (j.set.Weight != nil || j.labels.factor != nil) {
		return errors.New("a hard margin with weights of rows or classes: expected none, as it has no slack to weigh")
	}
	j.weights = orOnes(j.labels.weights(j.set.Weight), j.set.Rows())
	total := sum(j.weights)
	if math.IsInf(total, 1) {
		return DataError{"the row weights add up to +Inf, expected a finite number"}
	}
	j.c = j.spec.scaled(t.loss, j.labels.number, j.weights)
	if j.spec.Lambda != 0 {
		j.c = 1 / (j.spec.Lambda * total)
	} else if j.spec.hasLambda() {
		j.spec.Lambda = 1 / (j.c * total)
	}
	if t.nu != 0 && j.spec.Task == "classification" {
		return j.labels.checkShares(t.nu, j.weights)
	}
	return nil
}

// hasLambda reports whether the problem has a lambda: a bound on the norm or on the slack
// stands in its place, and so does nu except for regression.
func (spec *Spec) hasLambda() bool {
	return spec.Radius == 0 && !spec.margin() && (spec.Nu == 0 || spec.Task == "regression")
}

// statement writes down the problem.
func (j *job) statement() model.Statement {
	s := model.Statement{Loss: j.spec.Loss, Penalty: j.spec.Penalty, Kernel: j.spec.Kernel, Map: j.spec.Map, TargetLog: j.spec.TargetLog, Lambda: j.spec.Lambda, Radius: j.spec.Radius, Slack: j.spec.Slack, HardMargin: j.spec.HardMargin, Nu: j.spec.Nu, Bias: j.spec.Bias,
		Solver: j.spec.Solver, Gap: j.spec.Gap, Seed: j.spec.Seed, ZeroBased: j.spec.ZeroBased}
	if j.spec.Task == OneClass {
		s.Task = OneClass
	}
	if j.labels.pairs && j.labels.outputs() > 1 {
		s.Scheme = model.OneAgainstOne
	}
	if j.labels.joint {
		s.Scheme = model.Joint
	}
	if j.labels.factor != nil {
		s.ClassWeight = map[string]float64{}
		for c, f := range j.labels.factor {
			s.ClassWeight[j.labels.classes[c]] = f
		}
	}
	return s
}

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

// checkStatement returns why training cannot have stated this problem of these rows. It
// is the check of a [Spec]: what a problem has no use for, such as the penalty of a
// kernel machine or lambda beside nu, has the one value that training writes.
func checkStatement(m *model.Model, set *dataset.Set) error {
	s := m.Statement
	spec, err := SpecOf(m)
	if err != nil {
		return err
	}
	if err := spec.Check(); err != nil {
		return err
	}
	o := ownOf(m)
	l, err := o.pickLoss(s.Loss)
	if err != nil {
		return err
	}
	if _, margin := l.(loss.Margin); margin && m.Classes == nil {
		return fmt.Errorf("found the loss %s without classes: expected two at least", s.Loss)
	}
	if s.ClassWeight != nil && m.Classes == nil {
		return errors.New("found class weights without classes: expected none")
	}
	if s.HardMargin && (set.Weight != nil || s.ClassWeight != nil) {
		return errors.New("found a hard margin with weights of rows or classes: expected none")
	}
	return nil
}

// SpecOf returns what a model says of its problem, and of how exactly it was to be solved.
func SpecOf(m *model.Model) (Spec, error) {
	s, o := m.Statement, ownOf(m)
	spec := Spec{Task: taskOf(m), Loss: s.Loss, Penalty: s.Penalty, Kernel: s.Kernel, Map: s.Map, Scheme: s.Scheme, Bias: s.Bias,
		TargetLog: s.TargetLog, Lambda: s.Lambda, Radius: s.Radius, Slack: s.Slack, HardMargin: s.HardMargin, Nu: s.Nu, ClassWeight: s.ClassWeight, Gap: s.Gap,
		CustomLoss: o.loss, CustomPenalty: o.penalty}
	k, err := kernelOf(m)
	if custom, ok := k.(kernel.Func); ok {
		spec.Custom = &custom
	}
	return spec, err
}

// taskOf names the task of a model.
func taskOf(m *model.Model) string {
	switch {
	case m.OneClass():
		return OneClass
	case m.Classes != nil:
		return "classification"
	}
	return "regression"
}
