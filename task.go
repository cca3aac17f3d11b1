package fenchel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
)

// Decide is the task of the spec for targets: the one it names, or that of its loss, if it is one of
// numbers alone or of classes alone, and else what [Decide] says. Fractions are classes for no loss
// where there are more than 20 of them, or two rows for each are missing.
func (spec *Spec) Decide(t data.Target) string {
	if spec.Task != "" {
		return spec.Task
	}
	l, _ := spec.own().PickLoss(spec.Loss) // nil where there is no such loss, as Check says
	if _, numbers := l.(loss.Numeric); numbers || spec.TargetLog {
		return "regression"
	}
	fraction := slices.ContainsFunc(t.Number, func(x float64) bool { return x != math.Trunc(x) })
	if _, margin := l.(loss.Margin); margin && t.Code != nil && !(fraction && len(t.Label) > min(20, len(t.Code)/2)) {
		return "classification"
	}
	return pose.Decide(t)
}

// Doubt says that whole numbers are taken for classes though the loss that was asked for is as much one of numbers; nil:
// they are not, or nothing had to be decided.
func (spec *Spec) Doubt(t data.Target) error {
	l, err := spec.own().PickLoss(spec.Loss)
	_, margin := l.(loss.Margin)
	if spec.Task != "" || spec.Loss == "" || err != nil || margin || t.Number == nil || len(t.Label) <= 2 || spec.Decide(t) == "regression" {
		return nil
	}
	return fmt.Errorf("the %d whole numbers of the target are taken for classes, which the loss %s fits one against the rest: 'task=regression' predicts them as numbers", len(t.Label), spec.Loss)
}

// DecideTask decides on the task if it is open. It refuses targets of which most are the only ones of
// their kind: as classes they would tell nothing of new rows.
func (spec *Spec) DecideTask(set *data.Set) error {
	if spec.Task != "" {
		return nil
	}
	t := set.Target
	if spec.Task = spec.Decide(t); spec.Task != "classification" {
		return nil
	}
	if labels, once := len(t.Label), pose.Singles(t); labels > 2 && (labels > 20 && 2*once > labels || 2*labels > len(t.Code)) {
		return pose.DataError{Reason: fmt.Sprintf("found %d different labels in %d rows%s, %d of them once: expected numbers, or classes with several rows each ('target' names the column to predict; 'task=classification' takes these as classes)", labels, len(t.Code), set.TargetBy, once)}
	}
	return nil
}

// checkTargetLog refuses logarithms of what has none, or where the loss takes them itself.
func (spec *Spec) checkTargetLog() error {
	l, _ := spec.own().PickLoss(spec.Loss)
	_, linked := l.(loss.Linked)
	_, margin := l.(loss.Margin)
	switch {
	case !spec.TargetLog:
		return nil
	case spec.Task != "" && spec.Task != "regression" || margin:
		return errors.New("the logarithm of a target of classes: expected numbers, and a loss of numbers")
	case linked:
		return fmt.Errorf("the logarithm of the target with the loss %s, whose predictions are those of other numbers already: expected one of the two", spec.Loss)
	}
	return nil
}

// CheckTest returns why no model that Train makes of set can be compared with the
// targets of test, as Evaluate would say after the training. What is wrong with
// set is left for Train to say.
func (spec Spec) CheckTest(set, test *data.Set) error {
	if set.Check() != nil {
		return nil
	}
	if err := test.Check(); err != nil {
		return fmt.Errorf("test data: %w", pose.DataError{Reason: err.Error()})
	}
	known := set.Target
	if known.Absent() || spec.Task == pose.OneClass {
		return nil
	}
	var classes []string // nil: numbers
	if spec.Decide(known) == "classification" {
		classes, _ = pose.SortLabels(known)
	} else if known.Number == nil {
		return nil
	}
	if _, err := pose.MatchTargets(classes, test.Target); err != nil {
		return fmt.Errorf("test data: %w", err)
	}
	return nil
}

// target says what the spec, with a task, learns of targets.
func (spec *Spec) target() pose.Target {
	return pose.Target{Task: spec.Task, Logarithms: spec.TargetLog, ClassWeight: spec.ClassWeight, Balanced: spec.Balanced,
		Pairs: spec.Scheme == model.OneAgainstOne, Joint: spec.IsJoint(), ByClass: spec.IsMachine()}
}

// TargetEvaluation judges the predictions of one of several numbers.
type TargetEvaluation struct {
	Target string `json:"target"`
	NumberScores
	Trivial *Trivial `json:"trivial,omitempty"`
}

// evaluateTargets judges each of several targets; the scores of all are the means over these.
func evaluateTargets(m *model.Model, scores [][]float64, set *data.Set, trivial bool) *Evaluation {
	e := &Evaluation{Rows: len(scores)}
	var all, constants []NumberScores
	judge := lossOfModel(m)
	own, tau := loss.ScoreOf(judge)
	for c, truth := range set.Target.Columns() {
		predicted := make([]float64, len(scores))
		for i, s := range scores {
			predicted[i] = m.Number(s[c])
		}
		name, one := m.OutputName(c, ""), EvaluateNumbers(predicted, truth, set.Weight, tau)
		if trivial {
			one.compareNumbers(own, quantileOf(judge), pose.Truth{Number: truth, Weight: set.Weight})
			constants = append(constants, one.Trivial.NumberScores)
			for _, warning := range one.Warnings {
				e.Warnings = append(e.Warnings, fmt.Errorf("target %q: %w", name, warning))
			}
		}
		e.Targets = append(e.Targets, TargetEvaluation{name, one.NumberScores, one.Trivial})
		all = append(all, one.NumberScores)
	}
	if e.NumberScores = meanScores(all); trivial {
		e.Own = own
		e.Trivial = &Trivial{"constants", &Evaluation{Rows: e.Rows, NumberScores: meanScores(constants)}}
	}
	return e
}

// meanScores are the means of the scores, each nil where one of them is.
func meanScores(all []NumberScores) (mean NumberScores) {
	of := func(score func(*NumberScores) **float64) {
		sum := 0.0
		for k := range all {
			x := *score(&all[k])
			if x == nil {
				return
			}
			sum += *x
		}
		sum /= float64(len(all))
		*score(&mean) = &sum
	}
	of(func(s *NumberScores) **float64 { return &s.RMSE })
	of(func(s *NumberScores) **float64 { return &s.MAE })
	of(func(s *NumberScores) **float64 { return &s.MedianAbsolute })
	of(func(s *NumberScores) **float64 { return &s.R2 })
	of(func(s *NumberScores) **float64 { return &s.Pinball })
	of(func(s *NumberScores) **float64 { return &s.Deviance })
	return mean
}

// checkTargets refuses what one column of targets alone has.
func (j *job) checkTargets() error {
	if err := cmp.Or(j.spec.checkCalibrator(j.spec.Task), j.spec.checkInterval(j.spec.Task, j.set)); err != nil {
		return err
	}
	several, matrix := len(j.labels.Names), j.spec.isMatrix()
	j.labels.Joint = j.labels.Joint || matrix && several > 0
	switch {
	case matrix && !j.labels.Joint && j.labels.Outputs() > 1:
		return fmt.Errorf("penalty %s of %d classifiers: expected a loss that judges all classes at once, such as softmax, as the penalty is of all weights", j.spec.Penalty, j.labels.Outputs())
	case several == 0:
		return nil
	case j.spec.Nu != 0:
		return fmt.Errorf("nu=%g with %d targets: expected one, or no nu", j.spec.Nu, several)
	case j.spec.Probabilities:
		return fmt.Errorf("probabilities with %d targets: expected one", several)
	}
	names := slices.Sorted(slices.Values(j.labels.Names))
	for k, name := range names {
		if name == "" || k > 0 && name == names[k-1] {
			return pose.DataError{Reason: fmt.Sprintf("found %d targets of which one is called %q: expected different names", several, name)}
		}
	}
	return nil
}
