package tune

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/calibration"
)

// costName is the score that costs are judged by.
const costName = "cost"

// addMargins takes down how a model scores a fold's rows to be judged on. With the last of the folds each
// gets its mean cost: its rows are decided by the threshold of the least mean cost of those of the
// others, so that no row is judged by a threshold that it chose. One fold is taken as two halves.
func (t *Trial) addMargins(fold int, m []calibration.Margin, costs [2]float64) {
	if t.margins == nil {
		t.margins = make([][]calibration.Margin, len(t.Scores))
	}
	t.margins[fold] = m
	if t.waiting++; t.waiting < len(t.Scores) {
		return
	}
	parts, sum, all := t.margins, make([]float64, len(t.Scores)), make([]float64, len(t.Scores))
	if t.margins, t.waiting = nil, 0; len(parts) == 1 {
		parts = make([][]calibration.Margin, 2)
		for i, row := range m {
			parts[i%2] = append(parts[i%2], row)
		}
	}
	for k, part := range parts {
		at, _ := calibration.Threshold(slices.Concat(slices.Concat(parts[:k]...), slices.Concat(parts[k+1:]...)), costs)
		f := min(k, len(sum)-1)
		for _, row := range part {
			sum[f] += row.Cost(at, costs)
			all[f] += row.Weight
		}
	}
	for f := range sum {
		t.Scores[f] = sum[f] / all[f]
	}
}

// checkThresholds refuses thresholds and costs that the targets, or all candidates together, do not suit.
func checkThresholds(score string, spec fenchel.Spec, candidates []Candidate) error {
	if score == costName && spec.Costs == nil {
		return errors.New("score cost: found no costs of the classes, expected some, such as 'cost=yes=50,no=1', or another score")
	}
	if spec.Interval != 0 && len(candidates) > 1 {
		return fmt.Errorf("interval=%g: found %d candidates, of which the same rows would choose one, expected a model that they have not chosen: train it with the parameters that were found, on other rows or by other folds", spec.Interval, len(candidates))
	}
	if spec.Threshold == nil || spec.Probabilities {
		return nil
	}
	var before bool
	for k, c := range candidates {
		ok, err := probabilistic(c.Spec)
		if err == nil && k > 0 && ok != before {
			err = errors.New("threshold: found losses with probabilities and others without, for which it would be a probability and a score: expected losses of one kind, or costs")
		}
		if before = ok; err != nil {
			return err
		}
	}
	return nil
}
