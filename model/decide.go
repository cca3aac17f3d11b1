package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/calibration"
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
	case m.Coverage != nil:
		return errors.New("found intervals, or sets of classes, expected none: the format holds none")
	case m.Calibration.later():
		return fmt.Errorf("found the calibrator %s, expected a sigmoid or none: the format holds no other", m.Calibration.Calibrator())
	case m.Statement.TargetLog:
		return errors.New("found a model of the logarithm of the target, expected one of the target: the format holds no exponential")
	}
	return nil
}

// Coverage makes intervals of numbers, and sets of classes, that are to hold the truth of a new row with
// a probability: its level, if rows are exchangeable.
type Coverage struct {
	Level float64 `json:"level"`

	// Method is how: Split by errors on rows that the model has not learned from, which holds the level; JackknifePlus by models without one row each, which
	// holds 2 level - 1 (Barber, Candes, Ramdas, Tibshirani 2021), and about the level as a rule; CVPlus by models of
	// folds, which holds that up to 1/sqrt(rows); ByFolds by errors
	// of models of folds about the model of all, for which nothing is proved.
	Method string `json:"method"`

	// Quantile is the error up to which errors are within the level: half the width of the intervals, or the largest
	// Nonconformity of the classes of a set.
	Quantile float64 `json:"quantile"`

	// Of CVPlus, and of JackknifePlus, where each row is a fold: the increasing errors of the rows of each fold, and weights and bias of its model: of several outputs
	// those of each after one another.
	Errors  [][]float64 `json:"errors,omitempty"`
	Weights [][]float64 `json:"weights,omitempty"`
	Bias    []float64   `json:"bias,omitempty"`

	Folds *Folds `json:"folds,omitempty"` // absent: nothing is known of them
}

// Methods of a Coverage.
const (
	Split         = "split"
	JackknifePlus = "jackknife+"
	CVPlus        = "cv+"
	ByFolds       = "folds"
)

// Interval returns the interval of a prepared row with this score; both ends are NaN of a model that has none.
func (m *Model) Interval(x matrix.Vector, score float64) (lower, upper float64) {
	c := m.Coverage
	switch {
	case c == nil || m.Classes != nil:
		return math.NaN(), math.NaN()
	case c.Bias == nil:
		at := m.Number(score)
		return at - c.Quantile, at + c.Quantile
	}
	up, down, rows := make([]float64, len(c.Bias)), make([]float64, len(c.Bias)), 0
	for k, w := range c.Weights {
		up[k] = m.Number(x.Dot(w) + c.Bias[k])
		down[k] = -up[k]
		rows += len(c.Errors[k])
	}
	rank := calibration.Rank(rows, c.Level)
	return -calibration.Select(c.Errors, down, rank), calibration.Select(c.Errors, up, rank)
}

// Nonconformity is how much the largest score of other classes is above that of a class: above 0 the class is not predicted.
func Nonconformity(scores []float64, class int) float64 {
	if len(scores) == 1 {
		return scores[0] * float64(1-2*class)
	}
	others := math.Inf(-1)
	for c, s := range scores {
		if c != class {
			others = math.Max(others, s)
		}
	}
	return others - scores[class]
}

// Labels appends the classes of the set of a prepared row with these scores: those whose Nonconformity is at most the Quantile, or, by
// the models of folds, above too few of the errors of their rows. It may have all classes, or none.
func (m *Model) Labels(dst []int, x matrix.Vector, scores []float64) []int {
	c := m.Coverage
	if c == nil {
		return dst
	}
	if c.Bias == nil {
		for class := range m.Classes {
			if Nonconformity(scores, class) <= c.Quantile {
				dst = append(dst, class)
			}
		}
		return dst
	}
	below, rows, k := make([]int, len(m.Classes)), 0, len(m.Outputs)
	one := make([]float64, k)
	for f, errs := range c.Errors {
		for o := range one {
			one[o] = x.Dot(c.Weights[f*k+o]) + c.Bias[f*k+o]
		}
		for class := range below {
			n, _ := slices.BinarySearch(errs, Nonconformity(one, class))
			below[class] += n
		}
		rows += len(errs)
	}
	for class, n := range below {
		if n < calibration.Rank(rows, c.Level) {
			dst = append(dst, class)
		}
	}
	return dst
}

// checkCoverage refuses a coverage that is none of the model's.
func (m *Model) checkCoverage() error {
	c := m.Coverage
	switch {
	case c == nil:
		return nil
	case !(c.Level > 0 && c.Level < 1) || math.IsNaN(c.Quantile) || math.IsInf(c.Quantile, 0) || m.Classes == nil && c.Quantile < 0:
		return fmt.Errorf("found the level %g and the quantile %g of intervals, expected a number between 0 and 1 and one >= 0", c.Level, c.Quantile)
	case m.IsImported() || m.OneClass() || m.Statement.Targets != nil || len(m.Classes) == 1 || m.Statement.Scheme == OneAgainstOne:
		return errors.New("found intervals or sets, expected none in a model of several targets, of one class, of pairs or of another program")
	case c.Method == Split || c.Method == ByFolds:
		if c.Errors != nil || c.Weights != nil || c.Bias != nil {
			return fmt.Errorf("found models of folds in intervals by %s, expected none", c.Method)
		}
		return nil
	case c.Method == JackknifePlus && (m.Classes != nil || slices.ContainsFunc(c.Errors, func(of []float64) bool { return len(of) != 1 })):
		return fmt.Errorf("found intervals by %s of classes, or of several rows at a time, expected numbers, and an error of each row", c.Method)
	case c.Method != CVPlus && c.Method != JackknifePlus || m.Support != nil || m.Map != nil || m.Network != nil || len(c.Errors) < 2 || len(c.Errors)*len(m.Outputs) != len(c.Bias) || len(c.Weights) != len(c.Bias):
		return fmt.Errorf("found intervals by %q of %d folds, expected %s, %s or, of a linear model and two folds or more, %s or %s", c.Method, len(c.Errors), Split, ByFolds, CVPlus, JackknifePlus)
	}
	return m.checkFolds()
}

// checkFolds refuses models of folds whose numbers are none, or whose errors are too few.
func (m *Model) checkFolds() error {
	c, rows := m.Coverage, 0
	bad := func(x float64) bool { return !(math.Abs(x) <= math.MaxFloat64) }
	for k, errs := range c.Errors {
		rows += len(errs)
		if !slices.IsSorted(errs) || slices.ContainsFunc(errs, func(x float64) bool { return bad(x) || m.Classes == nil && x < 0 }) {
			return fmt.Errorf("found errors of fold %d that are no increasing numbers, of numbers none below 0", k+1)
		}
	}
	for k, w := range c.Weights {
		if len(w) != m.Data.Features || bad(c.Bias[k]) || slices.ContainsFunc(w, bad) {
			return fmt.Errorf("found %d weights of a fold, expected %d numbers and a bias", len(w), m.Data.Features)
		}
	}
	if calibration.Rank(rows, c.Level) > rows {
		return fmt.Errorf("found %d errors for intervals of the level %g, expected more", rows, c.Level)
	}
	return nil
}
