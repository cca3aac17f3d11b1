package model

import (
	"errors"
	"fmt"
	"math"
)

// Threshold is where the scores of two classes are told apart, if not at 0: the second class is
// predicted above it.
type Threshold struct {
	Score float64 `json:"score"` // of one output, or the difference of those of both classes

	// Costs are of a row of the first and of the second class that is taken for the other. Score has
	// the least mean Cost of rows that models predicted which had not learned from them; absent: it
	// was given.
	Costs []float64 `json:"costs,omitempty"`
	Cost  float64   `json:"cost,omitempty"`
	Folds *Folds    `json:"folds,omitempty"` // of these models; absent: not known, or none
}

// Margin returns the number that decides between two classes: the score of a single output, or
// what the second class scores more than the first.
func Margin(scores []float64) float64 {
	if len(scores) == 2 {
		return scores[1] - scores[0]
	}
	return scores[0]
}

// Chosen reports whether there is a threshold that was chosen by costs.
func (t *Threshold) Chosen() bool { return t != nil && t.Costs != nil }

// Refittable reports whether a calibration or threshold rests on predictions of other models, and
// by which folds, where the model says that.
func (m *Model) Refittable() (folds *Folds, ok bool) {
	switch {
	case m.Calibration != nil:
		return m.Calibration.Folds, true
	case m.Threshold.Chosen():
		return m.Threshold.Folds, true
	}
	return nil, false
}

// checkThreshold refuses a threshold that is none of the model's.
func (m *Model) checkThreshold() error {
	switch t := m.Threshold; {
	case t == nil:
	case len(m.Classes) != 2 || m.OneClass():
		return fmt.Errorf("found a threshold for %d classes, expected two", len(m.Classes))
	case math.IsNaN(t.Score) || math.IsInf(t.Score, 0) || !(t.Cost >= 0):
		return fmt.Errorf("found the threshold %g of cost %g, expected a number, and a cost >= 0", t.Score, t.Cost)
	case t.Costs != nil && (len(t.Costs) != 2 || !(t.Costs[0] >= 0) || !(t.Costs[1] >= 0)):
		return fmt.Errorf("found the costs %g, expected two numbers >= 0", t.Costs)
	}
	return nil
}

// errThreshold is why other programs' formats hold no model with a threshold.
var errThreshold = errors.New("found a threshold of the scores, expected none: the format tells classes apart at 0")
