package fenchel

import (
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/solver"
)

// Spec says what to train and when to stop. The zero value is a good default:
// a support vector machine for classes, least squares for numbers, with lambda
// = 1/N and a free bias, to a proved relative gap of 1e-3. [Spec.Set] puts values in as text.
type Spec struct {
	Task      string `json:"task"`       // one of Tasks; "": classification or regression, decided by the targets, see Decide
	Loss      string `json:"loss"`       // name of the loss, as loss.New takes it; "": hinge for classes, squared for numbers, epsilon-insensitive with nu
	TargetLog bool   `json:"target_log"` // learn the logarithms of targets, which must be numbers > 0: predictions are their exponentials
	Penalty   string `json:"penalty"`    // name of the penalty, as penalty.New takes it; "": l2

	// Kernel makes the model a kernel machine; "": a linear model. It is a spec as
	// kernel.New takes it; gamma=auto is 1/features, and what rbf, poly and sigmoid
	// alone have, gamma=scale 1/(features times the variance of all values).
	Kernel string `json:"kernel"`

	// Map makes the model a linear one again, of images whose inner products are
	// nearly the kernel: a spec as featuremap.NewApproximation takes it, of which Seed
	// draws what is random. The certificate is about the approximate kernel. The
	// images take 4 bytes for each row and feature. "": the kernel as it is.
	Map string `json:"map"`

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
	// of package internal/joint, which judges the scores of all classes at once.
	Scheme string `json:"scheme"`

	Bias    string `json:"bias"`    // "free", "none", "feature" or "feature:value=10"; "": free, or feature with a Radius and a Solver of kernel machines that has no step for a free one
	Scaling string `json:"scaling"` // "none", "max", "std"; "": std for tables if the kernel takes any rows, else none
	Solver  string `json:"solver"`  // name of the solver, as "fenchel list solvers" prints it; "" or "auto": chosen
	Weighting
	Network

	Gap  float64 `json:"gap"`  // relative, to be proved; 0: 1e-3
	Seed uint64  `json:"seed"` // seed of the generator of random numbers

	Custom   Custom `json:"-"` // values of the program's own in place of names
	Run             // how long it may take, on what
	Decision        // what is made of the scores
	Record          // what the model keeps for its users
}

// Weighting is how much rows count by their class, besides weights of their own.
type Weighting struct {
	// ClassWeight multiplies the weight of every row of a class, by label;
	// absent classes keep theirs. Balanced gives each class the same total.
	ClassWeight map[string]float64 `json:"class_weight"`
	Balanced    bool               `json:"balanced"`
}

// Network makes the model a feed-forward network: see problem.Network. No certificate exists for one, so that the
// model claims none. The loss, smooth, is logistic for two classes, softmax for more, and squared for numbers, where
// none is given; lambda is 1e-5; and features are scaled, by max where a quarter of their values or more are 0, as in images, else by std.
type Network struct {
	Hidden     []int  `json:"hidden"`     // units of each hidden layer, the first one first; nil: the model is no network
	Activation string `json:"activation"` // of hidden units: relu, tanh or sigmoid; "": relu
}

// Custom are a loss, penalty, kernel or solver of the program's own; the field of a [Spec] is then its name,
// which no other may have. A loss and a penalty keep the laws of their interfaces, which package conform
// examines: what is proved rests on them. The model can be written, and predicts wherever it is read; to be
// verified it needs the same values again, as the fields of these names in model.Model. A model with a
// Kernel can be used, but not written: no other program could read it.
type Custom struct {
	Kernel  *kernel.Func
	Loss    loss.Loss
	Penalty penalty.Penalty
	Solver  solver.Solver
}

// Run says where training begins, how long it may take and on what. The zero value has no limit.
type Run struct {
	// From is a model to begin with, of the same features, kernel and classes: that of
	// another C, loss or penalty, or of part of the rows. What is proved does not depend
	// on it; how long that takes does. nil: begin at zero.
	From *model.Model `json:"-"`

	Epochs  int           `json:"epochs"`  // limit of epochs for each class; 0: none
	Time    time.Duration `json:"-"`       // limit from the rows to the model, certificates included; 0: none
	Threads int           `json:"threads"` // cores at most; 0: all. Never changes a result
	Cache   int64         `json:"cache"`   // bytes of a kernel's matrix to keep at most; 0: kernel.DefaultCache

	// Partitions is how many parts of the rows sdca works on side by side, at
	// most 4096; 0: by the sizes of the data. It changes the result, Threads do not.
	Partitions int `json:"partitions"`

	// Progress, when set, is told of every certificate, Step of every beginning and every
	// epoch. Calls do not overlap, and change no result.
	Progress func(Progress) `json:"-"`
	Step     func(Step)     `json:"-"`
}

// Decision says what is made of the scores: probabilities, and from which on the second class is predicted.
type Decision struct {
	// Probabilities adds a model.Calibration, fitted to scores of rows that models of others have
	// predicted: those of Held by the model itself; or those of Folds, of which each is one more
	// training, and Time is for all; or else of five folds at random. Groups says of how many groups
	// of rows the folds are, of which each says as much as one row; 0: each row does.
	Probabilities bool         `json:"probabilities"`
	Calibrator    string       `json:"calibrator"` // with Probabilities of classes: sigmoid, isotonic, temperature, or auto, the one of the least log loss on rows of other folds; "": sigmoid
	Folds         []Fold       `json:"-"`
	Groups        int          `json:"-"`
	Held          *data.Set    `json:"-"`
	Dealt         *model.Folds `json:"-"` // how Folds were dealt, kept in the model; nil: it does not say

	// Interval is the level of a model.Coverage, such as 0.9: by the errors on Held, by models without one row
	// each (model.JackknifePlus) of least squares with few enough rows and no Folds, by models of the folds (model.CVPlus) where those are linear and were dealt rows at random and no feature depends on the fold, else by the errors of folds.
	// Rows have weights with Held alone, of which they are whole numbers. 0: none.
	Interval float64 `json:"interval"`

	// Costs, of two classes by label, are of a row that is taken for the other class: they choose
	// the model.Threshold by the same rows as Probabilities. Threshold states it instead: the
	// probability of the second class above which that is predicted, or, of models without
	// probabilities, the score. nil: 0.
	Costs     map[string]float64 `json:"costs"`
	Threshold *float64           `json:"threshold"`
}

// Record says what the model keeps. Nothing that is computed depends on it.
type Record struct {
	Notes     map[string]string `json:"notes"`   // kept in the model, for its users: nothing depends on them; see model.CheckNotes
	NoDual    bool              `json:"no_dual"` // leave the dual variables out of the model
	Proved    bool              `json:"proved"`  // keep a model.Region of each output, by which predictions are proved: see model.Model.Proved
	ZeroBased bool              `json:"-"`       // noted in the model: how LIBSVM indices of the data begin
}

// Fold is rows to learn from and others to be judged on.
type Fold = calibration.Fold

// SpecOf returns what a model says of its problem, and of how exactly it was to be solved.
func SpecOf(m *model.Model) (Spec, error) {
	s, o := m.Statement, pose.CustomOf(m)
	spec := Spec{Task: taskOf(m), Loss: s.Loss, Penalty: s.Penalty, Kernel: s.Kernel, Map: s.Map, Scheme: s.Scheme, Bias: s.Bias,
		TargetLog: s.TargetLog, Lambda: s.Lambda, Radius: s.Radius, Slack: s.Slack, HardMargin: s.HardMargin, Nu: s.Nu, Gap: s.Gap,
		Weighting: Weighting{ClassWeight: s.ClassWeight}, Network: Network{s.Hidden, s.Activation},
		Custom: Custom{Loss: o.Loss, Penalty: o.Penalty}}
	k, err := pose.KernelOf(m)
	if custom, ok := k.(kernel.Func); ok {
		spec.Custom.Kernel = &custom
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

// Progress is how far the training of one class is.
type Progress struct {
	Output
	solver.Progress
	Evaluations gram.Counts // number of kernel values computed so far, for all classes

	// Model returns the current point as a model without certificate, for
	// evaluation during the call. Of several classes it is that of the last points of all;
	// nil where one has none yet, or where they would take much memory.
	Model func() *model.Model
}

// Step is where the training of one class is between two certificates.
type Step struct {
	Output
	solver.Step
	Evaluations func() gram.Counts // so far, which may be asked at any time
}

// auto reports whether the solver is to be chosen.
func (spec *Spec) auto() bool {
	return spec.Custom.Solver == nil && (spec.Solver == "" || spec.Solver == "auto")
}

// IsJoint reports whether the loss judges all classes at once.
func (spec *Spec) IsJoint() bool { return spec.Custom.Loss == nil && joint.Is(spec.Loss) }

// IsMachine reports whether a kernel machine is trained: there is a kernel, and
// no map that makes the model linear.
func (spec *Spec) IsMachine() bool {
	return (spec.Kernel != "" || spec.Custom.Kernel != nil) && spec.Map == ""
}

// IsNetwork reports whether a network is trained.
func (spec *Spec) IsNetwork() bool { return len(spec.Hidden) > 0 }

// own returns what of a Spec is the program's own.
func (spec *Spec) own() pose.Custom {
	return pose.Custom{Loss: spec.Custom.Loss, Penalty: spec.Custom.Penalty}
}

// margin reports whether the largest margin is sought.
func (spec *Spec) margin() bool { return spec.Slack != 0 || spec.HardMargin }

// Output says which of the outputs of a model is trained.
type Output struct {
	Class, Classes int    // number of so many that are trained; 0 of 1 without classes
	Name           string // of several outputs: the class, or the two classes that the output tells apart
}

// short reports whether dual variables are stored in single precision. Those of
// kernel machines are not: beside the support vectors they are small, and when
// the coefficients are exactly theirs a certificate costs half as much.
func (spec *Spec) short() bool { return spec.Gap >= 1e-6 && !spec.IsMachine() }
