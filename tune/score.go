package tune

import (
	"cmp"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
)

// Score is a measure of how well held-out rows are predicted.
type Score struct {
	Name    string
	Summary string
	Lower   bool // smaller is better
	Classes bool // the score is one of classes, else of numbers
	of      func(*fenchel.Evaluation) *float64
}

var scores = []Score{
	{"accuracy", "share of rows whose class is right", false, true, func(e *fenchel.Evaluation) *float64 { return e.Accuracy }},
	{"balanced", "mean of the shares that are right of each class", false, true, func(e *fenchel.Evaluation) *float64 { return e.Balanced }},
	{"auc", "area under the ROC curve, of two classes", false, true, func(e *fenchel.Evaluation) *float64 { return e.AUC }},
	{"ap", "average precision of the second of two classes", false, true, func(e *fenchel.Evaluation) *float64 { return e.AP }},
	{"logloss", "mean of -log of the probability of the true class", true, true, func(e *fenchel.Evaluation) *float64 { return e.LogLoss }},
	{costName, "mean cost of a row, decided by the threshold that costs least on the rows of the other folds", true, true, func(e *fenchel.Evaluation) *float64 { return e.Cost }},
	{"f1", "mean of F1 over the classes", false, true, func(e *fenchel.Evaluation) *float64 { return e.MacroF1 }},
	{"rmse", "root of the mean squared error", true, false, func(e *fenchel.Evaluation) *float64 { return e.RMSE }},
	{"mae", "mean absolute error", true, false, func(e *fenchel.Evaluation) *float64 { return e.MAE }},
	{"pinball", "mean pinball loss of the loss's quantile, of the median where it has none", true, false, pinball},
	{"deviance", "mean Poisson deviance", true, false, func(e *fenchel.Evaluation) *float64 { return e.Deviance }},
	{"r2", "share of the variance that is explained", false, false, func(e *fenchel.Evaluation) *float64 { return e.R2 }},
}

// pinball is half the absolute error where the loss is no quantile.
func pinball(e *fenchel.Evaluation) *float64 {
	if e.Pinball == nil && e.MAE != nil {
		half := *e.MAE / 2
		return &half
	}
	return e.Pinball
}

// ScoreNames returns the names that NewScore takes.
func ScoreNames() []string {
	names := make([]string, len(scores))
	for k, s := range scores {
		names[k] = s.Name
	}
	return names
}

// newScore returns the score of that name; "": accuracy for classes, rmse for numbers.
func newScore(name string, classes bool) (Score, error) {
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

// sameQuantile reports whether all candidates are judged by one quantile; the median where the loss has none.
func sameQuantile(candidates []Candidate, task string) bool {
	first := 0.0
	for _, c := range candidates {
		l, _ := lossOf(c.Spec, task)
		_, tau := loss.ScoreOf(l)
		if first = cmp.Or(first, tau, 0.5); cmp.Or(tau, 0.5) != first {
			return false
		}
	}
	return true
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
	case "auc", "ap":
		if classes != 2 {
			return fmt.Errorf("score %s is for two classes, found %d: expected another score", s.Name, classes)
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
func probabilistic(spec fenchel.Spec) (bool, error) {
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
func (s Score) value(e *fenchel.Evaluation) float64 {
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

// rare is the share of the rarest class below which accuracy is not what a search chooses by.
const rare = 0.1

// usual is the score where none is asked for, and why it is not the usual one: accuracy would hardly see
// a rare class, and losses of numbers have scores of their own.
func (r *run) usual(candidates []Candidate) (s Score, why string, err error) {
	name := ""
	if r.task == "regression" {
		for _, c := range candidates {
			l, err := lossOf(c.Spec, r.task)
			if err != nil {
				return s, "", err
			}
			own, _ := loss.ScoreOf(l)
			if name = cmp.Or(name, own); own != name {
				name = "rmse" // losses of several kinds
			}
		}
		if name != "rmse" {
			why = "as the loss measures predictions so"
		}
		s, err = newScore(name, false)
		return s, why, err
	}
	if class, share := r.rarest(); share < rare {
		if name, err = r.ofRare(candidates); err != nil {
			return s, "", err
		}
		why = fmt.Sprintf("as the class %s is %.2g %% of the rows, of which accuracy says little", registry.Spell(class), 100*share)
	}
	s, err = newScore(name, true)
	return s, why, err
}

// rarest is the class with the least share of the weight of the rows.
func (r *run) rarest() (class string, share float64) {
	t, of, all := r.set.Target, make([]float64, len(r.set.Target.Label)), 0.0
	for i, c := range t.Code {
		w := 1.0
		if r.set.Weight != nil {
			w = r.set.Weight[i]
		}
		of[c] += w
		all += w
	}
	least := 0
	for c, w := range of {
		if w < of[least] {
			least = c
		}
	}
	return t.Label[least], of[least] / all
}

// ofRare returns the default score where one class is rare, which every candidate must have on every fold.
func (r *run) ofRare(candidates []Candidate) (string, error) {
	name := "logloss"
	for _, c := range candidates {
		if ok, err := probabilistic(c.Spec); err != nil || !ok {
			name = "auc"
		}
	}
	classes := len(r.set.Target.Label)
	for _, f := range r.folds {
		if r.classesIn(f.Learn) < classes || name == "auc" && r.spec.Held == nil && r.classesIn(f.Judge) < classes {
			return "balanced", nil
		}
	}
	if name == "auc" && classes != 2 {
		name = "balanced"
	}
	return name, nil
}

// classesIn counts the classes of these rows.
func (r *run) classesIn(rows []int) int {
	seen := map[uint32]bool{}
	for _, i := range rows {
		seen[r.set.Target.Code[i]] = true
	}
	return len(seen)
}
