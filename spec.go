package fenchel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/solver"
)

// Spec says what to train and when to stop. The zero value is a good default:
// a support vector machine for classes, least squares for numbers, with lambda
// = 1/N and a free bias, to a proved relative gap of 1e-3. [Spec.Set] puts values in as text.
type Spec struct {
	Task      string `json:"task"`       // one of Tasks; "": classification or regression, decided by the targets, see Decide
	Loss      string `json:"loss"`       // as loss.New takes it; "": hinge for classes, squared for numbers, epsilon-insensitive with nu
	TargetLog bool   `json:"target_log"` // learn the logarithms of targets, which must be numbers > 0: predictions are their exponentials
	Penalty   string `json:"penalty"`    // as penalty.New takes it; "": l2

	// Kernel makes the model a kernel machine; "": a linear model. It is a spec as
	// kernel.New takes it; gamma=auto is 1/features, and what rbf, poly and sigmoid
	// alone have, gamma=scale 1/(features times the variance of all values). Up to Cache bytes of its matrix are kept; 0: kernel.DefaultCache.
	Kernel string `json:"kernel"`
	Cache  int64  `json:"cache"`

	// Map makes the model a linear one again, of images whose inner products are
	// nearly the kernel: a spec as featuremap.NewApproximation takes it, of which Seed
	// draws what is random. The certificate is about the approximate kernel. The
	// images take 4 bytes for each row and feature. "": the kernel as it is.
	Map string `json:"map"`

	// Custom is a kernel of the program's own, and Kernel its name. The model can
	// then be used, but not written: no other program could read it.
	Custom *kernel.Func `json:"-"`

	// CustomLoss, CustomPenalty and CustomSolver are the program's own, and Loss, Penalty
	// and Solver their names, which no other may have; a loss and a penalty keep the laws
	// of their interfaces, which package conform examines: what is proved rests on them.
	// The model can be written, and predicts wherever it is read. To be verified it needs
	// the same values again, as the fields of these names in model.Model.
	CustomLoss    loss.Loss       `json:"-"`
	CustomPenalty penalty.Penalty `json:"-"`
	CustomSolver  solver.Solver   `json:"-"`

	// Lambda is the weight of the penalty, C = 1/(lambda N) the same number
	// the other way round, N being the sum of the row weights. At most one may
	// be set; with neither, C = 1, or for losses of numbers what fits the scale of the targets,
	// which is then the unit of widths that Loss leaves open: [Spec.UsualC]. A width in per cent is always of it.
	Lambda float64 `json:"lambda"`
	C      float64 `json:"C"`

	// Radius and Slack state other problems instead of one with lambda:
	// problem.NormConstrained, for linear models problem.Linear with a penalty.Ball of the
	// norm that Penalty names, l1 or l2; and problem.Slack or problem.LinearSlack. 0: neither.
	Radius float64 `json:"radius"`
	Slack  float64 `json:"slack"`

	// HardMargin allows no slack at all: the largest margin of separable rows, which is what
	// an infinite C comes to. It wants a kernel. Rows that nothing separates are a DataError.
	HardMargin bool `json:"hard_margin"`

	// Nu, at most 1, is the share of rows that may lie beyond the margin or outside of
	// the tube of a kernel machine: problem.Nu. Of one class these are the outliers.
	// For classes it stands instead of lambda and C. 0: the loss says what a row costs.
	Nu float64 `json:"nu"`

	// Scheme is how more than two classes are told apart: "one-against-rest", an
	// output for each, or "one-against-one", one for each pair, which learns from
	// the rows of these two with the same C; "": one-against-rest, or "joint" where Loss is one
	// of package loss/joint, which judges the scores of all classes at once.
	Scheme string `json:"scheme"`

	Bias    string `json:"bias"`    // "free", "none", "feature"; "": free, or feature with a Radius and a Solver of kernel machines that has no step for a free one
	Scaling string `json:"scaling"` // "none", "max", "std"; "": std for tables if the kernel takes any rows, else none
	Solver  string `json:"solver"`  // as New of solver/linear or solver/kernel takes it; "" or "auto": chosen
	// Partitions is how many parts of the rows sdca works on side by side, at
	// most 4096; 0: by the sizes of the data. It changes the result, Threads do not.
	Partitions int `json:"partitions"`

	// From is a model to begin with, of the same features, kernel and classes: that of
	// another C, loss or penalty, or of part of the rows. What is proved does not depend
	// on it; how long that takes does. nil: begin at zero.
	From *model.Model `json:"-"`

	// ClassWeight multiplies the weight of every row of a class, by label;
	// absent classes keep theirs. Balanced gives each class the same total.
	ClassWeight map[string]float64 `json:"class_weight"`
	Balanced    bool               `json:"balanced"`

	Gap     float64       `json:"gap"`     // relative, to be proved; 0: 1e-3
	Epochs  int           `json:"epochs"`  // at most so many for each class; 0: no limit
	Time    time.Duration `json:"-"`       // from the rows to the model, certificates included; 0: no limit
	Seed    uint64        `json:"seed"`    // of everything random
	Threads int           `json:"threads"` // at most so many cores; 0: all. Never changes a result
	NoDual  bool          `json:"no_dual"` // leave the dual variables out of the model

	// Probabilities adds a model.Calibration, fitted to scores of rows that models of others have
	// predicted: those of Held by the model itself; or those of Folds, of which each is one more
	// training, and Time is for all; or else of five folds at random. Groups says of how many groups
	// of rows the folds are, of which each says as much as one row; 0: each row does.
	Probabilities bool         `json:"probabilities"`
	Folds         []Fold       `json:"-"`
	Groups        int          `json:"-"`
	Held          *data.Set    `json:"-"`
	Dealt         *model.Folds `json:"-"` // how Folds were dealt, kept in the model; nil: it does not say

	// Costs, of two classes by label, are of a row that is taken for the other class: they choose
	// the model.Threshold by the same rows as Probabilities. Threshold states it instead: the
	// probability of the second class above which that is predicted, or, of models without
	// probabilities, the score. nil: 0.
	Costs     map[string]float64 `json:"costs"`
	Threshold *float64           `json:"threshold"`

	Notes map[string]string `json:"notes"` // kept in the model, for its users: nothing depends on them; see model.CheckNotes

	ZeroBased bool `json:"-"` // noted in the model: how LIBSVM indices of the data begin

	// Progress, when set, is told of every certificate, Step of every beginning and every
	// epoch. Calls do not overlap, and change no result.
	Progress func(Progress) `json:"-"`
	Step     func(Step)     `json:"-"`
}

// Fold is rows to learn from and others to be judged on.
type Fold = calibration.Fold

// Check returns what is wrong with the names and numbers of a Spec, as far as
// that can be known without data.
func (spec Spec) Check() error {
	if spec.Task != "" && !slices.Contains(pose.Tasks(), spec.Task) {
		return registry.Unknown("task", spec.Task, pose.Tasks())
	}
	if spec.Scaling != "" && !slices.Contains(scaling.Names(), spec.Scaling) {
		return registry.Unknown("scaling", spec.Scaling, scaling.Names())
	}
	if spec.Scheme != "" && !slices.Contains(pose.Schemes(), spec.Scheme) {
		return registry.Unknown("scheme", spec.Scheme, pose.Schemes())
	}
	if err := model.CheckNotes(spec.Notes); err != nil {
		return err
	}
	if _, err := spec.terms(); err != nil {
		return err
	}
	if err := spec.checkTargetLog(); err != nil {
		return err
	}
	if err := spec.checkJoint(); err != nil {
		return err
	}
	if err := spec.checkNu(spec.Task); err != nil {
		return err
	}
	if err := spec.checkNumbers(); err != nil {
		return err
	}
	return spec.checkSolver()
}

// terms makes the terms of the objective and refuses those that no solver takes
// together. While the targets have not decided on a loss, squared stands for it,
// which goes with everything.
func (spec *Spec) terms() (pose.Terms, error) {
	lossName, penaltyName := spec.Loss, spec.Penalty
	if spec.CustomLoss == nil {
		lossName = cmp.Or(lossName, "squared")
	}
	if spec.CustomPenalty == nil {
		penaltyName = cmp.Or(penaltyName, "l2")
	}
	t, err := pose.NewTerms(spec.own(), lossName, penaltyName, spec.bias())
	if err != nil {
		return t, err
	}
	t.Radius, t.Slack, t.Hard, t.Nu, t.OneClass = spec.Radius, spec.Slack, spec.HardMargin, spec.Nu, spec.Task == pose.OneClass
	if err := spec.checkConvex(t); err != nil {
		return t, err
	}
	return t, nil
}

// CheckStatement returns why training cannot have stated this problem of these rows. It
// is the check of a [Spec]: what a problem has no use for, such as the penalty of a
// kernel machine or lambda beside nu, has the one value that training writes.
func CheckStatement(m *model.Model, set *data.Set) error {
	s := m.Statement
	spec, err := SpecOf(m)
	if err != nil {
		return err
	}
	if err := spec.Check(); err != nil {
		return err
	}
	o := pose.CustomOf(m)
	l, err := o.PickLoss(s.Loss)
	if err != nil {
		return err
	}
	if _, margin := l.(loss.Margin); margin && m.Classes == nil {
		return fmt.Errorf("found the loss %s without classes: expected two at least", s.Loss)
	}
	if s.ClassWeight != nil && m.Classes == nil {
		return errors.New("found class weights without classes: expected none")
	}
	if s.HardMargin && (set.Weight != nil || s.ClassWeight != nil) {
		return errors.New("found a hard margin with weights of rows or classes: expected none")
	}
	return nil
}

// SpecOf returns what a model says of its problem, and of how exactly it was to be solved.
func SpecOf(m *model.Model) (Spec, error) {
	s, o := m.Statement, pose.CustomOf(m)
	spec := Spec{Task: taskOf(m), Loss: s.Loss, Penalty: s.Penalty, Kernel: s.Kernel, Map: s.Map, Scheme: s.Scheme, Bias: s.Bias,
		TargetLog: s.TargetLog, Lambda: s.Lambda, Radius: s.Radius, Slack: s.Slack, HardMargin: s.HardMargin, Nu: s.Nu, ClassWeight: s.ClassWeight, Gap: s.Gap,
		CustomLoss: o.Loss, CustomPenalty: o.Penalty}
	k, err := pose.KernelOf(m)
	if custom, ok := k.(kernel.Func); ok {
		spec.Custom = &custom
	}
	return spec, err
}

// taskOf names the task of a model.
func taskOf(m *model.Model) string {
	switch {
	case m.OneClass():
		return pose.OneClass
	case m.Classes != nil:
		return "classification"
	}
	return "regression"
}
