package train

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/calibration"
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/metric"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/registry"
)

// checkThreshold refuses costs and thresholds that the targets do not suit.
func (spec *Spec) checkThreshold(set *dataset.Set) error {
	what := "a threshold"
	switch {
	case spec.Costs == nil && spec.Threshold == nil:
		return nil
	case spec.Costs != nil && spec.Threshold != nil:
		return fmt.Errorf("found costs and a threshold, expected one of them: costs choose a threshold")
	case spec.Costs != nil:
		what = "costs"
	}
	if set.Target.Absent() || cmp.Or(spec.Task, spec.Decide(set.Target)) != "classification" {
		return fmt.Errorf("found %s, which two classes can have, but the task is another", what)
	}
	classes := ClassesOf(set.Target)
	if len(classes) != 2 {
		return DataError{fmt.Sprintf("found %s and %d classes, expected two", what, len(classes))}
	}
	for _, label := range slices.Sorted(maps.Keys(spec.Costs)) {
		if classOf(classes, label) < 0 {
			return DataError{fmt.Sprintf("found a cost of the label %q: %s", label, registry.Unknown("label", label, classes))}
		}
		if x := spec.Costs[label]; !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("found the cost %g of the label %q, expected a number >= 0", x, label)
		}
	}
	return nil
}

// setThreshold gives a model the threshold that the spec states.
func (spec *Spec) setThreshold(m *model.Model) error {
	if spec.Threshold == nil {
		return nil
	}
	t := *spec.Threshold
	if m.HasProbabilities() {
		if !(t > 0 && t < 1) {
			return fmt.Errorf("threshold=%g: expected a probability above 0 and below 1, as the model has probabilities", t)
		}
		t = math.Log(t / (1 - t)) // of the log-odds
		if m.Calibration != nil {
			a, b := m.Calibration.Platt[0][0], m.Calibration.Platt[0][1]
			if !(a < 0) {
				return DataError{"the probability of the second class does not grow with the score: expected a threshold of scores, without probabilities"}
			}
			t = (-t - b) / a
		}
	}
	m.Threshold = &model.Threshold{Score: t}
	return nil
}

// threshold is the one of the least mean cost of the rows that models of others have predicted.
func (c *calibrator) threshold() *model.Threshold {
	m := c.result.Model
	costs := [2]float64{1, 1}
	for label, cost := range c.spec.Costs {
		costs[classOf(m.Classes, label)] = cost
	}
	var scores, weight []float64
	var positive []bool
	for _, row := range c.rows {
		if margin := model.Margin(row.scores); row.class != metric.Unknown && margin-margin == 0 {
			scores, positive, weight = append(scores, margin), append(positive, row.class == 1), append(weight, row.weight)
		}
	}
	t := &model.Threshold{Costs: costs[:], Folds: c.dealt()}
	t.Score, t.Cost = calibration.Threshold(scores, positive, weight, costs)
	if c.result.Margins != nil {
		t.Score *= c.result.Margins[0]
	}
	return t
}
