package search

import (
	"cmp"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/loss/joint"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/train"
)

// Score is a measure of how well held-out rows are predicted.
type Score struct {
	Name    string
	Summary string
	Lower   bool // smaller is better
	Classes bool // of classes, else of numbers
	of      func(*train.Evaluation) *float64
}

var scores = []Score{
	{"accuracy", "share of rows whose class is right", false, true, func(e *train.Evaluation) *float64 { return e.Accuracy }},
	{"balanced", "mean of the shares that are right of each class", false, true, func(e *train.Evaluation) *float64 { return e.Balanced }},
	{"auc", "area under the ROC curve, of two classes", false, true, func(e *train.Evaluation) *float64 { return e.AUC }},
	{"logloss", "mean of -log of the probability of the true class", true, true, func(e *train.Evaluation) *float64 { return e.LogLoss }},
	{"f1", "mean of F1 over the classes", false, true, func(e *train.Evaluation) *float64 { return e.MacroF1 }},
	{"rmse", "root of the mean squared error", true, false, func(e *train.Evaluation) *float64 { return e.RMSE }},
	{"mae", "mean absolute error", true, false, func(e *train.Evaluation) *float64 { return e.MAE }},
	{"r2", "share of the variance that is explained", false, false, func(e *train.Evaluation) *float64 { return e.R2 }},
}

// ScoreNames returns the names that NewScore takes.
func ScoreNames() []string {
	names := make([]string, len(scores))
	for k, s := range scores {
		names[k] = s.Name
	}
	return names
}

// NewScore returns the score of that name; "": accuracy for classes, rmse for numbers.
func NewScore(name string, classes bool) (Score, error) {
	if name == "" {
		name = map[bool]string{true: "accuracy", false: "rmse"}[classes]
	}
	for _, s := range scores {
		if s.Name != name {
			continue
		}
		if s.Classes != classes {
			of := map[bool]string{true: "classes", false: "numbers"}
			return s, fmt.Errorf("score %s is one of %s, but the targets are %s: expected another", name, of[s.Classes], of[classes])
		}
		return s, nil
	}
	return Score{}, registry.Unknown("score", name, ScoreNames())
}

// fits refuses a score that the models of a candidate cannot have.
func (s Score) fits(c Candidate, classes int) error {
	switch s.Name {
	case "xi-alpha", "span":
		if !c.Spec.IsMachine() {
			return fmt.Errorf("estimate %s is of kernel machines: expected a kernel, linear for one", s.Name)
		}
		if s.Name == "span" && classes != 2 {
			return fmt.Errorf("estimate span is for two classes, found %d: expected xi-alpha, or folds", classes)
		}
	case "auc":
		if classes != 2 {
			return fmt.Errorf("score auc is for two classes, found %d: expected another score", classes)
		}
	case "logloss":
		ok, err := probabilistic(c.Spec)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("score logloss needs probabilities, which the loss %s does not give: expected the loss logistic or softmax, or another score", cmp.Or(c.Spec.Loss, "hinge"))
		}
	}
	return nil
}

// probabilistic reports whether the loss of classes makes probabilities of scores.
func probabilistic(spec train.Spec) (bool, error) {
	if spec.IsJoint() {
		l, err := joint.New(spec.Loss)
		_, ok := l.(joint.Probabilistic)
		return ok, err
	}
	l, err := lossOf(spec, "classification")
	_, ok := l.(loss.Probabilistic)
	return ok, err
}

// of returns the value of a score; NaN: it is not defined on these rows.
func (s Score) value(e *train.Evaluation) float64 {
	if x := s.of(e); x != nil {
		return *x
	}
	return math.NaN()
}

// better reports whether a is a better value than b, which may be NaN.
func (s Score) better(a, b float64) bool {
	switch {
	case math.IsNaN(a):
		return false
	case math.IsNaN(b):
		return true
	case s.Lower:
		return a < b
	}
	return a > b
}
