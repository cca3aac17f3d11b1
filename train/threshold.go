package train

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/calibration"
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/loss/joint"
	"github.com/fenchel-ml/fenchel/metric"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/registry"
)

// CheckThreshold refuses costs and thresholds that the targets do not suit.
func (spec *Spec) CheckThreshold(set *dataset.Set) error {
	what := "a threshold"
	switch {
	case spec.Costs == nil && spec.Threshold == nil:
		return nil
	case spec.Costs != nil && spec.Threshold != nil:
		return fmt.Errorf("found costs and a threshold, expected one of them: costs choose a threshold")
	case spec.Costs != nil:
		what = "costs"
	}
	if set.Target.Absent() || spec.Decide(set.Target) != "classification" {
		return fmt.Errorf("found %s, which two classes can have, but the task is another", what)
	}
	classes := ClassesOf(set.Target)
	if len(classes) != 2 {
		return DataError{fmt.Sprintf("found %s and %s, expected two", what, registry.Count(len(classes), "class"))}
	}
	for _, label := range slices.Sorted(maps.Keys(spec.Costs)) {
		if classOf(classes, label) < 0 {
			return fmt.Errorf("found a cost of an %w", registry.Unknown("label", label, classes))
		}
		if x := spec.Costs[label]; !(x >= 0 && x <= MostCost) {
			return fmt.Errorf("found the cost %g of the label %q, expected a number from 0 to %g", x, label, MostCost)
		}
	}
	if c := spec.costsOf(classes); c[0] == 0 && c[1] == 0 {
		return errors.New("found the cost 0 for both classes, expected one above 0: no threshold is better than another")
	}
	return spec.checkRange(spec.Probabilities || spec.gives())
}

// MostCost is the largest cost of a row: sums over rows do not overflow.
const MostCost = 1e100

// CostsOf returns the costs of the two classes of the targets, in the order of a model's.
func (spec *Spec) CostsOf(t dataset.Target) [2]float64 { return spec.costsOf(ClassesOf(t)) }

// costsOf returns the costs of two classes.
func (spec *Spec) costsOf(classes []string) [2]float64 {
	costs := [2]float64{1, 1}
	for label, cost := range spec.Costs {
		costs[classOf(classes, label)] = cost
	}
	return costs
}

// gives reports whether the loss gives probabilities.
func (spec *Spec) gives() bool {
	one, _ := loss.New(spec.Loss)
	all, _ := joint.New(spec.Loss)
	_, own := one.(loss.Probabilistic)
	_, shared := all.(joint.Probabilistic)
	return own || shared
}

// checkRange refuses a threshold that is no probability, where the model has these.
func (spec *Spec) checkRange(probable bool) error {
	if t := spec.Threshold; probable && t != nil && !(*t > 0 && *t < 1) {
		return fmt.Errorf("threshold=%g: expected a probability above 0 and below 1, as the model has probabilities", *t)
	}
	return nil
}

// setThreshold gives a model the threshold that the spec states.
func (spec *Spec) setThreshold(m *model.Model) error {
	if spec.Threshold == nil || len(m.Classes) != 2 {
		return nil
	}
	t := *spec.Threshold
	if m.HasProbabilities() {
		if err := spec.checkRange(true); err != nil { // of a loss of the program's own
			return err
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

// marginsOf are the rows that have a known class and a score.
func marginsOf(rows []predicted) (margins []calibration.Margin) {
	for _, row := range rows {
		if score := model.Margin(row.scores); row.class != metric.Unknown && score-score == 0 {
			margins = append(margins, calibration.Margin{Score: score, Weight: row.weight, Second: row.class == 1})
		}
	}
	return margins
}

// threshold is the one of the least mean cost of the rows that models of others have predicted.
func (c *calibrator) threshold() *model.Threshold {
	costs := c.spec.costsOf(c.result.Model.Classes)
	t := &model.Threshold{Costs: costs[:], Folds: c.dealt()}
	t.Score, t.Cost = calibration.Threshold(marginsOf(c.rows), costs)
	if c.result.Margins != nil {
		t.Score *= c.result.Margins[0]
	}
	return t
}
