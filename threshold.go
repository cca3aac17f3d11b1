package fenchel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
)

// CheckThreshold refuses costs and thresholds that the targets do not suit.
func (spec *Spec) CheckThreshold(set *data.Set) error {
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
	classes := pose.ClassesOf(set.Target)
	if len(classes) != 2 {
		return pose.DataError{Reason: fmt.Sprintf("found %s and %s, expected two", what, registry.Count(len(classes), "class"))}
	}
	for _, label := range slices.Sorted(maps.Keys(spec.Costs)) {
		if pose.ClassOf(classes, label) < 0 {
			return fmt.Errorf("found a cost of an %w", registry.Unknown("label", label, classes))
		}
		if x := spec.Costs[label]; !(x >= 0 && x <= calibration.MostCost) {
			return fmt.Errorf("found the cost %g of the label %q, expected a number from 0 to %g", x, label, calibration.MostCost)
		}
	}
	if c := spec.costsOf(classes); c[0] == 0 && c[1] == 0 {
		return errors.New("found the cost 0 for both classes, expected one above 0: no threshold is better than another")
	}
	return spec.checkRange(spec.Probabilities || spec.gives())
}

// checkCalibrator refuses a way to make probabilities that the spec has no use for.
func (spec *Spec) checkCalibrator(task string) error {
	way := spec.Calibrator
	switch {
	case way == "":
		return nil
	case !slices.Contains(calibration.Calibrators(), way):
		return registry.Unknown("calibrator", way, calibration.Calibrators())
	case !spec.Probabilities:
		return fmt.Errorf("calibrator=%s: found it without probabilities, which it makes", way)
	case task != "" && task != "classification" && way != calibration.BySigmoid:
		return fmt.Errorf("probabilities by the calibrator %s for the task %s: expected classes, or no calibrator", way, task)
	case way == calibration.ByTemperature && (spec.Scheme == model.OneAgainstOne || spec.Nu != 0):
		return errors.New("probabilities by a temperature of classes told apart one against one, or by nu: expected scores of all classes in one unit, or the calibrator sigmoid or isotonic")
	}
	return nil
}

// checkInterval refuses intervals that the spec, or rows of it, cannot have; set nil: not at hand yet.
func (spec *Spec) checkInterval(task string, set *data.Set) error {
	level := spec.Interval
	switch {
	case level == 0:
		return nil
	case !(level > 0 && level < 1):
		return fmt.Errorf("'interval=%g': expected a level between 0 and 1, such as 0.9", level)
	case task == pose.OneClass || spec.Scheme == model.OneAgainstOne:
		return fmt.Errorf("'interval=%g': found one class, or pairs of classes, expected numbers, or scores of all classes", level)
	case set == nil:
		return nil
	case set.Target.Names != nil:
		return fmt.Errorf("'interval=%g': found several targets, expected one", level)
	case set.Weight != nil && spec.Held == nil:
		return fmt.Errorf("'interval=%g': found rows with weights, expected none, or other rows to take errors of ('valid'): copies of a row in several folds would know of each other", level)
	case spec.Held != nil && slices.ContainsFunc(spec.Held.Weight, func(w float64) bool { return w != math.Trunc(w) }):
		return fmt.Errorf("'interval=%g': found weights of the other rows that are no whole numbers, expected how often each row counts", level)
	case task == "classification" && spec.Nu != 0 && len(pose.ClassesOf(set.Target)) > 2:
		return fmt.Errorf("'interval=%g' with nu=%g and several classes: expected scores of all classes in one unit", level, spec.Nu)
	}
	return nil
}

// CostsOf returns the costs of the two classes of the targets, in the order of a model's.
func (spec *Spec) CostsOf(t data.Target) [2]float64 { return spec.costsOf(pose.ClassesOf(t)) }

// costsOf returns the costs of two classes.
func (spec *Spec) costsOf(classes []string) [2]float64 {
	costs := [2]float64{1, 1}
	for label, cost := range spec.Costs {
		costs[pose.ClassOf(classes, label)] = cost
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
		probability := t
		t = math.Log(t / (1 - t)) // of the log-odds
		if m.Calibration != nil {
			var grows bool
			if t, grows = m.Calibration.Score(probability); !grows {
				return pose.DataError{Reason: "the probability of the second class does not grow with the score: expected a threshold of scores, without probabilities"}
			}
		}
	}
	m.Threshold = &model.Threshold{Score: t}
	return nil
}

// ThresholdEvaluation is what comes of predicting the second of two classes above a score.
type ThresholdEvaluation struct {
	Score       float64  `json:"score"`
	Probability *float64 `json:"probability,omitempty"` // probability of the second class at that score, where the model has any
	Precision   *float64 `json:"precision,omitempty"`   // absent: no row is flagged
	Recall      float64  `json:"recall"`
	Flagged     float64  `json:"flagged"` // share of the rows that score above
	Cost        *float64 `json:"cost,omitempty"`
	Used        bool     `json:"used,omitempty"` // the model predicts by it
}

// flagged are the shares of the rows that the table of thresholds flags, beside that of the model.
var flagged = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75}

// threshold adds the table of thresholds, of the model's and of those that flag usual shares, and
// the mean cost where the model has costs.
func (e *Evaluation) threshold(m *model.Model, margin []float64, truth []int, weight []float64) {
	order := make([]int, len(margin))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(margin[j], margin[i]) })
	c := thresholdCounts{model: m}
	of := pose.Truth{Class: truth, Number: nil, Weight: weight}
	for i := range truth {
		c.all += of.WeightOf(i)
		if truth[i] == 1 {
			c.positive += of.WeightOf(i)
		}
	}
	used, noted, share := 0.0, false, 0
	if m.Threshold != nil {
		used = m.Threshold.Score
	}
	for k, i := range order {
		if !noted && margin[i] <= used {
			e.Thresholds, noted = append(e.Thresholds, c.at(used, true)), true
		}
		if c.flagged += of.WeightOf(i); truth[i] == 1 {
			c.right += of.WeightOf(i)
		}
		if k+1 == len(order) || margin[order[k+1]] == margin[i] {
			continue
		}
		for reached := false; share < len(flagged) && c.flagged >= flagged[share]*c.all; share++ {
			if !reached {
				below := margin[order[k+1]]
				e.Thresholds, reached = append(e.Thresholds, c.at(below+(margin[i]-below)/2, false)), true
			}
		}
	}
	if !noted {
		e.Thresholds = append(e.Thresholds, c.at(used, true))
	}
	for _, t := range e.Thresholds {
		if t.Used {
			e.Cost = t.Cost
		}
	}
}

// thresholdCounts are the weights of all rows, of those of the second class, of those that score
// above a threshold, and of those of them that are of the second class.
type thresholdCounts struct {
	model                         *model.Model
	all, positive, flagged, right float64
}

// at is what the counts say of the threshold that they are of.
func (c *thresholdCounts) at(score float64, used bool) ThresholdEvaluation {
	t := ThresholdEvaluation{Score: score, Recall: c.right / c.positive, Flagged: c.flagged / c.all, Precision: metric.Present(c.right / c.flagged), Used: used}
	if c.model.HasProbabilities() {
		scores := []float64{score}
		if len(c.model.Outputs) == 2 {
			scores = []float64{0, score}
		}
		t.Probability = &c.model.Probabilities(nil, scores)[1]
	}
	if c.model.Threshold.Chosen() {
		costs := c.model.Threshold.Costs
		cost := (float64((c.positive-c.right)*costs[1]) + float64((c.flagged-c.right)*costs[0])) / c.all
		t.Cost = &cost
	}
	return t
}
