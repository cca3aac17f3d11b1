package fenchel

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/online"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// StreamSpec says what a [Stream] learns. The zero value learns two classes by the hinge, or numbers by the squared loss.
type StreamSpec struct {
	Loss    string   // squared, logistic, hinge, absolute or quantile:tau=X; "": hinge for classes, squared for numbers
	Task    string   // classification or regression; "": decided by the loss, or the first rows
	Classes []string // of classification the two labels; nil: those of the first rows, or 1 beside -1 or 0 alone

	HoldOutAfter int               // rows after so many are judged, and not learned from; 0: all are learned from
	ZeroBased    bool              // LIBSVM indices of the rows begin with 0; a model notes it
	Notes        map[string]string // kept in the model
	// Doubled is told how far it is at 1, 2, 4, 8 and so on rows; nil: nothing is.
	Doubled func(StreamProgress)
}

// StreamProgress is how well rows were predicted, each before it was learned from.
type StreamProgress struct {
	Rows    int
	Average float64 // loss over all rows; of the squared loss that of (p-y)^2, not half of it
	Since   float64 // loss over those since the progress before
}

// Stream learns a linear model from rows that it sees once, by the steps that Vowpal Wabbit makes by default (see package
// internal/solve/online). Memory is 24 bytes a feature. Nothing is proved of the model: that needs the rows again, as
// [Train] with Spec.From.
type Stream struct {
	Schema  *data.Schema // schema of the table that the rows come from, kept in the model; nil: none
	Feature []string     // names of the features, likewise

	spec    StreamSpec
	classes []string
	learner *online.Learner // nil: no rows yet
	sums    *online.Sums
	rows    int64      // of this stream, those judged alone too
	double  int64      // when progress is told next
	told    online.Sum // then
}

// NewStream begins a stream; the first rows that it learns say how many features there are.
func NewStream(spec StreamSpec) (*Stream, error) {
	if spec.HoldOutAfter < 0 {
		return nil, fmt.Errorf("found %d rows to learn from, expected a number >= 0", spec.HoldOutAfter)
	}
	if spec.Task != "" && spec.Task != "classification" && spec.Task != "regression" {
		return nil, fmt.Errorf("task %s: expected classification or regression, as each row of a stream is seen once", spec.Task)
	}
	if spec.Loss != "" {
		l, err := loss.New(spec.Loss)
		if err != nil {
			return nil, err
		}
		if _, ok := l.(loss.Flowing); !ok {
			return nil, fmt.Errorf("loss %s: expected squared, logistic, hinge, absolute or quantile, whose steps for one row are known", spec.Loss)
		}
		_, margin := l.(loss.Margin)
		task := map[bool]string{true: "classification", false: "regression"}[margin]
		if spec.Task != "" && spec.Task != task {
			return nil, fmt.Errorf("loss %s, task %s: expected the task %s of this loss", spec.Loss, spec.Task, task)
		}
		spec.Task = task
	}
	if spec.Classes != nil && (len(spec.Classes) != 2 || set.SameLabel(spec.Classes[0], spec.Classes[1]) || spec.Task == "regression") {
		return nil, fmt.Errorf("found the classes %q, expected two, and none for regression", spec.Classes)
	}
	return &Stream{spec: spec, double: 1}, model.CheckNotes(spec.Notes)
}

// ResumeStream goes on where the stream ended that made the model: learning A and then B is learning A and B at once, to
// the bit. Loss, classes, schema and notes are the model's.
func ResumeStream(m *model.Model, spec StreamSpec) (*Stream, error) {
	if m == nil || m.OnePass == nil {
		return nil, pose.DataError{Reason: "found a model that is none of one pass, expected one that a stream has made"}
	}
	spec.Loss, spec.Task, spec.Notes, spec.ZeroBased = m.Statement.Loss, "", m.Notes, m.Statement.ZeroBased
	s, err := NewStream(spec)
	if err != nil {
		return nil, err
	}
	l, err := loss.New(spec.Loss)
	if err != nil {
		return nil, err
	}
	if s.learner, err = online.Restore(l, m.OnePass, m.Outputs[0].Weights, m.Outputs[0].Bias); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	s.classes, s.Schema, s.Feature, s.sums = m.Classes, m.Schema, m.Features, s.learner.Sums()
	s.told = s.sums.All
	for s.double <= s.told.Rows {
		s.double *= 2
	}
	return s, nil
}

// Rows returns how many rows were learned from, those of a model that the stream resumes too.
func (s *Stream) Rows() int {
	if s.sums == nil {
		return 0
	}
	return int(s.sums.All.Rows)
}

// Learn takes rows, n x d, and their targets. An error is about the first row that is bad; those before it are learned.
func (s *Stream) Learn(x matrix.Matrix, y data.Target) error {
	if err := matrix.Check(x); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	n, cols := x.Dims()
	if err := y.Check(n); err != nil || y.Absent() || y.Names != nil {
		return pose.DataError{Reason: fmt.Sprintf("found targets of %d of %d rows, expected one in each", y.Rows(), n)}
	}
	if s.learner == nil {
		if err := s.begin(cols, y); err != nil {
			return err
		}
	}
	if d := s.learner.Cols(); cols != d {
		return pose.DataError{Reason: fmt.Sprintf("found rows of %s, expected %d", registry.Count(cols, "feature"), d)}
	}
	target, err := s.targets(y)
	if err != nil {
		return err
	}
	for i := range n {
		t := target(i)
		if !(math.Abs(t) <= online.MostTarget) {
			return s.badTarget(y, i)
		}
		s.learn(x.Row(i), t)
	}
	return nil
}

// learn takes one row.
func (s *Stream) learn(x matrix.Vector, y float64) {
	if s.rows++; s.spec.HoldOutAfter > 0 && s.rows > int64(s.spec.HoldOutAfter) {
		s.learner.Judge(x, y)
		return
	}
	s.learner.Learn(x, y)
	if s.sums.All.Rows == s.double {
		s.tell()
	}
}

// tell tells how far it is.
func (s *Stream) tell() {
	now := s.sums.All
	since := (now.Losses - s.told.Losses) / float64(now.Rows-s.told.Rows)
	s.told, s.double = now, 2*now.Rows
	if s.spec.Doubled != nil {
		s.spec.Doubled(StreamProgress{Rows: int(now.Rows), Average: now.Mean(), Since: since})
	}
}

// begin makes the learner, by the first rows.
func (s *Stream) begin(cols int, y data.Target) error {
	if s.spec.Task == "" && s.spec.Classes == nil {
		s.spec.Task = pose.Decide(y)
	}
	if s.spec.Loss == "" {
		s.spec.Loss = map[bool]string{true: "squared", false: "hinge"}[s.spec.Task == "regression"]
	}
	l, err := loss.New(s.spec.Loss)
	if err != nil {
		return err
	}
	if _, margin := l.(loss.Margin); margin {
		all := y
		if s.spec.Classes != nil {
			all = data.Labels(s.spec.Classes)
		}
		s.classes, _ = pose.SortLabels(bothClasses(all))
		switch k := len(s.classes); {
		case y.Code == nil:
			return pose.DataError{Reason: fmt.Sprintf("found more than %d labels, expected two classes", set.MaxLabels)}
		case k == 1:
			return pose.DataError{Reason: fmt.Sprintf("found one class, %q, in the first %s, expected two there: mix the rows, or name both ('classes')", s.classes[0], registry.Count(y.Rows(), "row"))}
		case k != 2:
			return pose.DataError{Reason: fmt.Sprintf("found %s, expected two: one pass tells no more apart ('task=regression' for numbers)", registry.Count(k, "class"))}
		}
	}
	if s.learner, err = online.NewLearner(l, cols); err == nil {
		s.sums = s.learner.Sums()
	}
	return err
}

// bothClasses adds the label 1 where -1 or 0 is the only label: the first rows of clicks or faults may hold none.
func bothClasses(y data.Target) data.Target {
	if len(y.Label) == 1 && (set.SameLabel(y.Label[0], "-1") || set.SameLabel(y.Label[0], "0")) {
		return data.Labels([]string{y.Label[0], "1"})
	}
	return y
}

// targets returns the number that is learned of each row: -1 or +1 for classes, NaN of a label that is neither.
func (s *Stream) targets(y data.Target) (func(i int) float64, error) {
	switch {
	case s.classes == nil && y.Number == nil:
		return nil, pose.DataError{Reason: fmt.Sprintf("found targets that are not numbers (one is %q), expected numbers", y.Label[0])}
	case s.classes == nil:
		return func(i int) float64 { return y.Number[i] }, nil
	case y.Code == nil:
		return nil, pose.DataError{Reason: fmt.Sprintf("found more than %d labels, expected two classes", set.MaxLabels)}
	}
	sign := make([]float64, len(y.Label))
	for k, label := range y.Label {
		switch pose.ClassOf(s.classes, label) {
		case 0:
			sign[k] = -1
		case 1:
			sign[k] = 1
		default:
			sign[k] = math.NaN()
		}
	}
	return func(i int) float64 { return sign[y.Code[i]] }, nil
}

// badTarget says what is wrong with a target.
func (s *Stream) badTarget(y data.Target, i int) error {
	if s.classes != nil {
		return pose.DataError{Reason: fmt.Sprintf("row %d: found the label %q, expected %q or %q, the classes of the rows before", s.rows+1, y.Label[y.Code[i]], s.classes[0], s.classes[1])}
	}
	return pose.DataError{Reason: fmt.Sprintf("row %d: found the target %g, expected a number from %g to %g", s.rows+1, y.Number[i], -online.MostTarget, online.MostTarget)}
}

// Result makes a model of what was learned so far, which says how the stream ended, and that nothing is proved of it. The stream can go on.
func (s *Stream) Result(status solver.Status) (*Result, error) {
	if s.Rows() == 0 {
		return nil, errors.New("found no rows to learn from, expected at least one")
	}
	if s.told.Rows < s.sums.All.Rows {
		before := s.double
		s.tell()
		s.double = before
	}
	state, weights, bias := s.learner.State()
	none := model.Bound(math.NaN())
	m := &model.Model{Classes: s.classes, Features: s.Feature, Schema: s.Schema, OnePass: state, Version: pose.Version(), Notes: s.spec.Notes,
		Statement: model.Statement{Loss: s.spec.Loss, Penalty: "l2", Bias: "feature", Solver: "one-pass", ZeroBased: s.spec.ZeroBased},
		Data:      model.Data{Rows: s.Rows(), Features: len(weights), Classes: len(s.classes), Columns: pose.Columns(s.Schema)},
		Outputs:   []model.Output{{Weights: weights, Bias: bias, Certificate: model.Certificate{Status: string(status), Primal: none, Dual: none, Zero: none, Epochs: 1}}}}
	if err := m.Seal(); err != nil {
		return nil, err
	}
	return &Result{Model: m, Status: status, Summary: Summarise(m), N: float64(s.Rows()), C: math.NaN(), Epochs: 1, Unproved: OnePassUnproved, ProvesNothing: true}, nil
}

// OnePassUnproved is why there is no gap of a model that saw each row once.
const OnePassUnproved = "nothing is proved of one pass: each row was seen once"
