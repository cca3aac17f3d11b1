package result

import (
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// Fit is what train and tune say of the model that they made.
type Fit struct {
	C              model.Bound        `json:"C"`
	CalibratedBy   string             `json:"calibrated_by,omitempty"`
	Calibrator     string             `json:"calibrator,omitempty"`
	CalibratorLoss map[string]float64 `json:"calibrator_log_loss,omitempty"`
	Features       int                `json:"d"`
	Lambda         *float64           `json:"lambda"`
	Loss           string             `json:"loss"`
	Path           *string            `json:"model"` // null: not written
	Rows           int                `json:"n"`
	Penalty        string             `json:"penalty"`
	Seconds        map[string]float64 `json:"seconds"`
	Status         solver.Status      `json:"status"`
	TargetLog      bool               `json:"target_log,omitempty"`
}

// FitOf is what is said of a result that was written to a path, "" if it was not.
func FitOf(r *fenchel.Result, path string) Fit {
	s := r.Model.Statement
	fit := Fit{C: model.Bound(r.C), Features: r.Model.Data.Features, Lambda: &s.Lambda, Loss: s.Loss, Path: OrNull(path),
		Rows: r.Model.Data.Rows, Penalty: s.Penalty, Status: r.Status, TargetLog: s.TargetLog, Calibrator: r.Model.Calibration.Calibrator()}
	if c := r.Model.Calibration; c != nil {
		fit.CalibratorLoss = c.LogLoss
	}
	return fit
}

// Training is what train says.
type Training struct {
	Fit
	Proof
	Model
	*Balance
	*Evaluations
	Bias       string              `json:"bias"`
	BiasWhy    string              `json:"bias_why,omitempty"`
	Classes    []string            `json:"classes,omitempty"`
	Crossed    *Crossed            `json:"cross_validation,omitempty"`
	Ended      string              `json:"ended,omitempty"`
	Epochs     int                 `json:"epochs"`
	HardMargin bool                `json:"hard_margin,omitempty"`
	Kernel     string              `json:"kernel,omitempty"`
	Learned    *fenchel.Evaluation `json:"learned_from,omitempty"`
	Map        string              `json:"map,omitempty"`
	Stored     int64               `json:"nonzeros"`
	Outputs    []Output            `json:"outputs,omitempty"`
	Rounding   float64             `json:"rounding,omitempty"`
	Seed       uint64              `json:"seed"`
	Solver     string              `json:"solver"`
	SolverWhy  string              `json:"solver_why,omitempty"`
	Task       string              `json:"task,omitempty"`
	Test       *fenchel.Evaluation `json:"test,omitempty"`
	Unproved   *string             `json:"unproved"`
}

// Balance has the parameters that a problem may have besides lambda, or in place of it, to weigh the loss against
// the norm of the weights.
type Balance struct {
	Nu     *float64 `json:"nu"`
	Radius *float64 `json:"radius"`
	Slack  *float64 `json:"slack"`
}

// Evaluations count the work of a kernel machine.
type Evaluations struct {
	Products   int64 `json:"inner_products"`
	Requested  int64 `json:"kernel_evaluations"`
	Computed   int64 `json:"kernel_evaluations_computed"`
	Prefetched int64 `json:"kernel_evaluations_prefetched"`
}

// Trained is what is said of a result that was written to a path, but for what train has done besides.
func Trained(r *fenchel.Result, path string) *Training {
	m, s := r.Model, r.Model.Statement
	out := &Training{Fit: FitOf(r, path), Proof: Proved(r.Summary), Model: Of(m), Bias: s.Bias, BiasWhy: r.BiasWhy, Ended: r.Ended, Epochs: r.Epochs, HardMargin: s.HardMargin,
		Kernel: s.Kernel, Map: s.Map, Stored: m.Data.Nonzeros, Seed: s.Seed, Solver: s.Solver, SolverWhy: r.Why, Task: s.Task, Unproved: OrNull(r.Unproved)}
	if s.Radius > 0 || s.Slack > 0 || s.HardMargin || s.Nu > 0 {
		out.Balance = &Balance{OrNull(s.Nu), OrNull(s.Radius), OrNull(s.Slack)}
		if s.HardMargin {
			out.Slack = &s.Slack
		}
		if s.Lambda == 0 {
			out.Lambda, out.C = nil, model.Bound(math.NaN())
		}
	}
	if m.Classes != nil || len(m.Outputs) > 1 {
		out.Classes, out.Outputs = m.Classes, Outputs(m)
	}
	if m.Support != nil {
		out.Evaluations = &Evaluations{r.Evaluations.Products, r.Evaluations.Requested, r.Evaluations.Computed, r.Evaluations.Prefetched}
	}
	return out
}

// Trivial is the mean score of the model that sees no feature.
type Trivial struct {
	Prediction string      `json:"prediction"`
	Score      model.Bound `json:"score"`
}

// TrivialOf is that of a search; nil: there is none.
func TrivialOf(found *tune.Result) *Trivial {
	if found.Trivial.Prediction == "" {
		return nil
	}
	return &Trivial{found.Trivial.Prediction, model.Bound(found.Trivial.Mean)}
}

// Crossed is the score of train on folds.
type Crossed struct {
	Folds   []model.Bound `json:"folds"`
	Gap     model.Bound   `json:"gap"`
	Holdout *float64      `json:"holdout"`
	Mean    model.Bound   `json:"mean"`
	Score   string        `json:"score"`
	SD      model.Bound   `json:"sd"`
	Trivial *Trivial      `json:"trivial"`
}

// A Candidate of a search maps the names of its parameters to their values, and the fields score, score_sd, gap and
// so on to what was found; it is no struct, as the parameters differ from search to search.
type Candidate map[string]any

// Tuning is what tune says.
type Tuning struct {
	Fit
	Bounds
	Best        Candidate        `json:"best"`
	Index       int              `json:"best_index"`
	Candidates  []Candidate      `json:"candidates"`
	ErrorBound  *tune.ErrorBound `json:"certainty,omitempty"` // of tune --prove
	FittedToAll []string         `json:"fitted_to_all,omitempty"`
	Folds       int              `json:"folds"`
	Kernel      string           `json:"kernel"`
	Computed    int64            `json:"kernel_evaluations_computed"`
	Lower       bool             `json:"lower_is_better"`
	Nested      *Nested          `json:"nested,omitempty"`
	Rule        string           `json:"rule"`
	Score       string           `json:"score"`
	ScoreWhy    string           `json:"score_why,omitempty"`
	Stopped     *string          `json:"stopped"`
	Threshold   *model.Threshold `json:"threshold,omitempty"`
	Trivial     *Trivial         `json:"trivial,omitempty"`
}

// Nested is the score of a search itself.
type Nested struct {
	Folds []model.Bound `json:"folds"`
	Score model.Bound   `json:"score"`
	SD    model.Bound   `json:"score_sd"`
}

// Solutions are what tune says of a path of which none is chosen.
type Solutions struct {
	Best       Candidate          `json:"best"` // null
	Candidates []Candidate        `json:"candidates"`
	Path       *string            `json:"model"`
	Seconds    map[string]float64 `json:"seconds"`
	Stopped    string             `json:"stopped"`
}

// Path is what path says.
type Path struct {
	N        float64       `json:"N"`
	Bias     string        `json:"bias"`
	Unit     string        `json:"errors_are"`
	Kernel   string        `json:"kernel"`
	Values   int64         `json:"kernel_values"`
	WorstGap model.Bound   `json:"largest_gap"`
	Leaps    int           `json:"leaps"`
	Loss     string        `json:"loss"`
	Points   []Point       `json:"points"`
	Seconds  float64       `json:"seconds"`
	Status   solver.Status `json:"status"`
	Unproved int           `json:"unproved"`
}

// Answers is what is said of answers for all C of a range.
type Answers struct {
	*tune.Answers
	Asked   float64 `json:"asked_gap"`
	Seconds float64 `json:"seconds"`
}

// Point is a machine of a path.
type Point struct {
	C       model.Bound `json:"C"`
	Bounded int         `json:"bounded"`
	Dual    model.Bound `json:"dual"`
	Error   float64     `json:"error"`
	Free    int         `json:"free"`
	Gap     model.Bound `json:"gap"`
	Lambda  model.Bound `json:"lambda"`
	LeftOut model.Bound `json:"leave_one_out"`
	Loss    float64     `json:"loss"`
	Norm    float64     `json:"norm"`
	Primal  model.Bound `json:"primal"`
	Slack   model.Bound `json:"slack"`
}

// PointOf is what is said of a machine.
func PointOf(q tune.PathPoint) Point {
	return Point{model.Bound(q.C), q.Bounded, model.Bound(q.Dual), q.Error, q.Free, model.Bound(q.Gap), model.Bound(q.Lambda), model.Bound(q.LeftOut), q.Loss, q.Norm, model.Bound(q.Primal), model.Bound(q.Slack())}
}
