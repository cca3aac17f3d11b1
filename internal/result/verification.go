package result

import (
	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/survey"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/sparsify"
)

// Verdict says whether what is claimed is true; null with a reason: neither proved nor refuted.
type Verdict struct {
	Problems []string `json:"problems"`
	Reason   *string  `json:"reason"`
	Valid    *bool    `json:"valid"`
}

// VerdictOf is that of the problems found, and of why nothing is proved, "" if it is.
func VerdictOf(problems []string, unproved string) Verdict {
	v := Verdict{Problems: append([]string{}, problems...)}
	if len(problems) == 0 {
		v.Reason = OrNull(unproved)
	}
	if v.Reason == nil {
		v.Valid = new(len(problems) == 0)
	}
	return v
}

// Verification is what verify says of a model.
type Verification struct {
	Verdict
	Claimed    Bounds       `json:"claimed"`
	Digest     string       `json:"digest"`
	Found      Bounds       `json:"found"`
	Gradient   *model.Bound `json:"gradient_norm,omitempty"`
	Rebuilt    bool         `json:"rebuilt_dual"`
	TangentGap *model.Bound `json:"tangent_gap,omitempty"`
}

// Verified is what is said of a model.
func Verified(m *model.Model, v *fenchel.Verification) Verification {
	return Verification{VerdictOf(v.Problems, v.Unproved), Summed(v.Claimed), m.Data.Digest, Summed(v.Found), (*model.Bound)(v.Gradient), v.Rebuilt, (*model.Bound)(v.Tangent)}
}

// Audit is what verify says of a model of LIBSVM or LIBLINEAR.
type Audit struct {
	Proof
	C         *float64      `json:"C"`
	Features  int           `json:"d"`
	Rows      int           `json:"n"`
	Nu        float64       `json:"nu,omitempty"`
	Outputs   []AuditOutput `json:"outputs"`
	Problem   AuditProblem  `json:"problem"`
	Reason    *string       `json:"reason"`
	RefinedBy string        `json:"refined_by"`
	Support   *int          `json:"support,omitempty"`
}

// AuditOutput is what is proved of one classifier.
type AuditOutput struct {
	Class string `json:"class,omitempty"`
	Bounds
	Rows int `json:"rows"` // that it was trained on
}

// AuditProblem is what the bounds are about.
type AuditProblem struct {
	Bias        string             `json:"bias"`
	ClassWeight map[string]float64 `json:"class_weight"`
	Kernel      string             `json:"kernel"`
	Loss        string             `json:"loss"`
	Penalty     string             `json:"penalty"`
	RowWeights  bool               `json:"row_weights"`
	Statement   string             `json:"statement"`
}

// Info is what a model says of itself.
type Info struct {
	Model
	Bounds
	Calibration *model.Calibration `json:"calibration,omitempty"`
	Classes     []string           `json:"classes"`
	Data        model.Data         `json:"data"`
	Worst       model.Bound        `json:"gap_worst"`
	HasDual     bool               `json:"has_dual"`
	Outputs     []Output           `json:"outputs"`
	Problem     Statement          `json:"problem"`
	Version     string             `json:"program_version"`
	Status      string             `json:"status"`
}

// Statement is one in which lambda is null where another number stands instead of it, or the file
// does not hold it.
type Statement struct {
	model.Statement
	Lambda *float64 `json:"lambda"`
}

// InfoOf is what a model says.
func InfoOf(m *model.Model) Info {
	s, all := fenchel.Summarise(m), make([]string, len(m.Outputs))
	for c, o := range m.Outputs {
		all[c] = o.Certificate.Status
	}
	return Info{Model: Of(m), Bounds: Summed(s), Calibration: m.Calibration, Classes: m.Classes, Data: m.Data, Worst: model.Bound(s.Worst), HasDual: m.Outputs[0].Dual != nil,
		Outputs: Outputs(m), Problem: Statement{m.Statement, OrNull(m.Statement.Lambda)}, Version: m.Version, Status: string(pose.Worst(all))}
}

// Sparsified is what sparsify says.
type Sparsified struct {
	Bounds
	Accuracy     float64           `json:"accuracy"`
	Unit         string            `json:"errors_are"`
	NewRows      model.Bound       `json:"error_bound"`
	GaveUp       *string           `json:"gave_up"`
	Guarantee    string            `json:"guarantee"`
	Holds        bool              `json:"guarantee_holds"`
	Values       int64             `json:"kernel_values"`
	Method       string            `json:"method"`
	Model        Step              `json:"model"`
	Objective    *model.SparseGoal `json:"objective"`
	Path         []Step            `json:"path"`
	Refit        *Bounds           `json:"refit"`
	Seconds      float64           `json:"seconds"`
	Small        Step              `json:"small"`
	Speed        Speed             `json:"speed"`
	SpeedOfModel Speed             `json:"speed_of_model"`
	Steps        int               `json:"steps"`
	TrainedOn    bool              `json:"trained_on_these_rows"`
	Tried        []Tried           `json:"tried"`
}

// Step is how a machine of so many vectors predicts.
type Step struct {
	Loss    model.Bound `json:"largest_loss"`
	Mean    model.Bound `json:"mean_loss"`
	Test    model.Bound `json:"test"`
	Train   model.Bound `json:"train"`
	Vectors int         `json:"vectors"`
}

// Speed is how fast a model predicts.
type Speed struct {
	OneRow float64 `json:"one_row_seconds"`
	Rows   float64 `json:"rows_per_second"` // many at once, all cores
}

// Tried is what the method auto compared.
type Tried struct {
	Kept    bool   `json:"kept"`
	Method  string `json:"method"`
	Refit   Bounds `json:"refit"`
	Vectors int    `json:"vectors"`
}

// StepOf is what is said of one step.
func StepOf(p sparsify.Step) Step {
	return Step{model.Bound(p.Loss), model.Bound(p.Mean), model.Bound(p.Test), model.Bound(p.Train), p.Vectors}
}

// SparsifiedOf is what is said of a result, but for speed and time.
func SparsifiedOf(f *sparsify.Result, method string) *Sparsified {
	out := &Sparsified{Bounds: Summed(fenchel.Summarise(f.Model)), Accuracy: f.Accuracy, Unit: f.Unit, NewRows: model.Bound(f.NewRows), GaveUp: OrNull(f.GaveUp), Holds: sparsify.Guaranteed(f.Model.Sparse), Values: f.Counts.Requested,
		Method: method, Model: StepOf(f.Full), Objective: f.Model.Sparse.Goal, Path: []Step{}, Small: StepOf(f.Small), Steps: f.Steps, TrainedOn: !f.Elsewhere, Tried: []Tried{}}
	for _, p := range f.Path {
		out.Path = append(out.Path, StepOf(p))
	}
	for _, t := range f.Tried {
		out.Tried = append(out.Tried, Tried{t.Kept, t.Method, Certified(t.Refit), t.Vectors})
	}
	if f.Refit != nil {
		out.Refit = new(Certified(*f.Refit))
	}
	return out
}

// CheckedKernel is what check-kernel says.
type CheckedKernel struct {
	Kernel    string      `json:"kernel"`
	Largest   float64     `json:"largest_eigenvalue"`
	Diagonal  float64     `json:"mean_diagonal"`
	N         int         `json:"n"`
	Negative  int         `json:"negative_eigenvalues"`
	Definite  bool        `json:"positive_semidefinite"`
	Smallest  model.Bound `json:"smallest_eigenvalue"`
	Tolerance float64     `json:"tolerance"`
}

// Version is what the build says of itself.
type Version struct {
	Arch     string            `json:"arch"`
	Commit   *string           `json:"commit"`
	Time     *string           `json:"commit_time"`
	Go       string            `json:"go"`
	Modified *bool             `json:"modified"`
	Modules  map[string]string `json:"modules"`
	OS       string            `json:"os"`
	Settings map[string]string `json:"settings"`
	Version  string            `json:"version"`
}

// Evaluation is what evaluate says.
type Evaluation struct {
	*fenchel.Evaluation
	Decomposition *theory.Decomposition `json:"decomposition,omitempty"` // where the mean loss comes from, if asked for
	Proved        *survey.Sure          `json:"proved,omitempty"`        // what is proved of the predictions of exact optima, if asked for
}

// Surveyed is what advise says of rows.
type Surveyed struct {
	*survey.Survey
	Accuracy float64       `json:"accuracy"`
	Advice   theory.Advice `json:"advice"`
	Plan     *survey.Plan  `json:"plan,omitempty"`
}

// Advised is what advise says of counts.
type Advised struct {
	Rows      int           `json:"n"`
	Features  int           `json:"d,omitempty"`
	Condition float64       `json:"condition,omitempty"`
	Accuracy  float64       `json:"accuracy"`
	Advice    theory.Advice `json:"advice"`
}

// AdvisedMachine is what advise says of kernel machines.
type AdvisedMachine struct {
	Accuracy float64                `json:"accuracy"`
	Advice   theory.QuadraticAdvice `json:"advice"`
	Kernel   string                 `json:"kernel"`
	Memory   float64                `json:"memory"`
	Rows     float64                `json:"n"`
	Values   float64                `json:"values"`
}

// Compared is what compare says of two linear models; the change is null unless both state the same
// problem about the same rows.
type Compared struct {
	Outputs []ComparedOutput `json:"outputs"`
	Change  *float64         `json:"objective_change"`
}

// ComparedOutput is how one classifier differs.
type ComparedOutput struct {
	Bias   float64     `json:"bias_change"`
	Class  string      `json:"class,omitempty"` // absent: there is one
	Cosine model.Bound `json:"cosine"`
}

// ComparedWith is what is said of a comparison with m.
func ComparedWith(m *model.Model, c *survey.Comparison) (out Compared) {
	for k, cosine := range c.Cosines {
		out.Outputs = append(out.Outputs, ComparedOutput{c.Biases[k], ClassOf(m, k), model.Bound(cosine)})
	}
	if c.Same {
		out.Change = &c.Change
	}
	return out
}

// BoundedComponents is what bounds says of components.
type BoundedComponents struct {
	spectral.Setting
	Bounds  []Promise `json:"bounds"`
	Epsilon *float64  `json:"accuracy"` // null: not asked for, as Rows
	Rows    *float64  `json:"n"`
}

// Promise is what is proved of a method: the rows for Epsilon, and the error after Rows.
type Promise struct {
	Error   *float64 `json:"error"`
	Formula string   `json:"formula"`
	Method  string   `json:"method"`
	Rows    *float64 `json:"rows"`
}

// Add adds one value of each bound.
func (b *BoundedComponents) Add(bounds []spectral.Bound, set func(*Promise, float64)) {
	for i, v := range bounds {
		if i == len(b.Bounds) {
			b.Bounds = append(b.Bounds, Promise{Formula: v.Formula, Method: v.Name})
		}
		set(&b.Bounds[i], v.Value)
	}
}

// BoundedMachines is what bounds says of kernel machines.
type BoundedMachines struct {
	theory.Machine
	Compression *float64             `json:"compression"` // null: not asked for, as those of Rows and Support
	Costs       []theory.MachineCost `json:"costs"`
	Delta       float64              `json:"delta"`
	Rows        *float64             `json:"n"`
	Sample      float64              `json:"sample"`
	Smoothness  *float64             `json:"smoothness"`
	Support     *float64             `json:"support"`
}
