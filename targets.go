package fenchel

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
)

// TargetEvaluation judges the predictions of one of several numbers.
type TargetEvaluation struct {
	Target string `json:"target"`
	NumberScores
	Trivial *Trivial `json:"trivial,omitempty"`
}

// evaluateTargets judges each of several targets; the scores of all are the means over these.
func evaluateTargets(m *model.Model, scores [][]float64, set *data.Set, trivial bool) *Evaluation {
	e := &Evaluation{Rows: len(scores)}
	var constants []NumberScores
	own, tau := loss.ScoreOf(lossOfModel(m))
	for c, truth := range set.Target.Columns() {
		predicted := make([]float64, len(scores))
		for i, s := range scores {
			predicted[i] = m.Number(s[c])
		}
		one := EvaluateNumbers(predicted, truth, set.Weight, tau)
		if name := m.OutputName(c, ""); trivial {
			one.compareNumbers(own, quantileOf(lossOfModel(m)), pose.Truth{Number: truth, Weight: set.Weight})
			constants = append(constants, one.Trivial.NumberScores)
			for _, warning := range one.Warnings {
				e.Warnings = append(e.Warnings, fmt.Errorf("target %q: %w", name, warning))
			}
		}
		e.Targets = append(e.Targets, TargetEvaluation{m.OutputName(c, ""), one.NumberScores, one.Trivial})
	}
	var all []NumberScores
	for _, t := range e.Targets {
		all = append(all, t.NumberScores)
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
