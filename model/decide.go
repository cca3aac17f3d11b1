package model

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Class returns the label predicted for the raw row x, spelled as in the
// training data; "" for regression.
func (m *Model) Class(x matrix.Vector) string {
	if m.Classes == nil {
		return ""
	}
	return m.Classes[int(m.Predict(x))]
}

// Decide returns the class of a row with these scores: the second of two where
// the score is positive, or above the Threshold; of more the one with the highest, the first among
// equals; and one against one, where output by output a pair of classes, (0,1),
// (0,2), ..., (1,2), ..., decides as two do, the one with the most votes, the
// last among equals. It returns -1 for another number of scores than there are outputs.
func (m *Model) Decide(scores []float64) int {
	if len(scores) != m.outputsOf(len(m.Classes)) {
		return -1
	}
	if m.Statement.Scheme == OneAgainstOne {
		return mostVotes(scores, len(m.Classes))
	}
	switch {
	case m.Threshold != nil:
		return classNumber(Margin(scores) > m.Threshold.Score)
	case len(scores) == 1:
		return classNumber(scores[0] > 0 && len(m.Classes) > 1)
	}
	best := 0
	for c, s := range scores {
		if s > scores[best] {
			best = c
		}
	}
	return best
}

// classNumber is 1 for the second of two classes, 0 for the first.
func classNumber(second bool) int {
	if second {
		return 1
	}
	return 0
}

// Likeliest returns the class for which these scores and probabilities speak. A
// calibration need not agree with [Model.Decide]: then it is the class of the highest
// probability, the last among equals. A Threshold decides alone.
func (m *Model) Likeliest(scores, probabilities []float64) int {
	if m.Calibration == nil || m.OneClass() || m.Threshold != nil {
		return m.Decide(scores)
	}
	best := 0
	for c, p := range probabilities {
		if p >= probabilities[best] {
			best = c
		}
	}
	return best
}

// mostVotes returns the class that most pairs decide for. It looks at each pair
// twice, which takes no memory.
func mostVotes(scores []float64, classes int) int {
	best, most := 0, -1
	for c := range classes {
		votes := 0
		for other := range classes {
			if other < c && scores[pairOf(other, c, classes)] > 0 || other > c && !(scores[pairOf(c, other, classes)] > 0) {
				votes++
			}
		}
		if votes >= most {
			best, most = c, votes
		}
	}
	return best
}

// pairOf returns the output of the classes i < j.
func pairOf(i, j, classes int) int { return i*(2*classes-i-1)/2 + j - i - 1 }

// Pair returns the classes i < j that an output decides between, one against one.
func Pair(output, classes int) (i, j int) {
	for i < classes-2 && output >= classes-1-i { // so many outputs have i as the first
		output -= classes - 1 - i
		i++
	}
	return i, i + 1 + output
}

// Threshold is where the scores of two classes are told apart, if not at 0: the second class is
// predicted above it.
type Threshold struct {
	Score float64 `json:"score"` // threshold on the score of one output, or on the difference of the scores of two classes

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

// fitsOthers refuses a model that no other program's format can hold: one with a threshold, or of
// the logarithm of the target.
func (m *Model) fitsOthers() error {
	switch {
	case m.Threshold != nil:
		return errors.New("found a threshold of the scores, expected none: the format tells classes apart at 0")
	case m.Statement.TargetLog:
		return errors.New("found a model of the logarithm of the target, expected one of the target: the format holds no exponential")
	}
	return nil
}
