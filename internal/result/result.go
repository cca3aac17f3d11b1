// Package result has what each verb says of what came out: one type a verb, whose JSON is what
// --json prints and, where Python asks for the same, what the engine answers. The schemas in
// docs/formats describe these types, as a test compares. Fields of types that are no part of
// another are in the order of their names, which is that of the JSON.
package result

import (
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/solve/online"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// OrNull is nil, which is null in JSON or absent, for the zero value.
func OrNull[T comparable](x T) *T {
	var zero T
	if x == zero {
		return nil
	}
	return &x
}

// Numbers writes those that are not finite as null.
func Numbers(x []float64) []model.Bound {
	out := make([]model.Bound, len(x))
	for k, v := range x {
		out[k] = model.Bound(v)
	}
	return out
}

// Bounds are an objective, the lower bound on the best possible one, and their relative gap.
type Bounds struct {
	Dual   model.Bound `json:"dual"`
	Gap    model.Bound `json:"gap"`
	Primal model.Bound `json:"primal"`
}

// Certified are the bounds of a certificate.
func Certified(c problem.Certificate) Bounds {
	return Bounds{model.Bound(c.Dual), model.Bound(c.Relative()), model.Bound(c.Primal)}
}

// Summed are the bounds of a model as a whole.
func Summed(s fenchel.Summary) Bounds {
	return Bounds{model.Bound(s.Dual), model.Bound(s.Gap), model.Bound(s.Primal)}
}

// Proof is the certificate of a model as a whole.
type Proof struct {
	Bounds
	Absolute model.Bound `json:"gap_absolute"`
	Worst    model.Bound `json:"gap_worst"`
}

// Proved is the proof of a summary.
func Proved(s fenchel.Summary) Proof {
	return Proof{Summed(s), model.Bound(s.Primal - s.Dual), model.Bound(s.Worst)}
}

// Moves are what was subtracted from columns before they were rounded, and by what they were
// multiplied then.
type Moves struct {
	Factors map[string]float64 `json:"factors,omitempty"`
	Offsets map[string]float64 `json:"offsets,omitempty"`
}

// MovesOf are those of a table; s may be nil.
func MovesOf(s *data.Schema) (m Moves) {
	if s == nil {
		return m
	}
	m = Moves{map[string]float64{}, map[string]float64{}}
	for _, c := range s.Columns {
		if c.Offset != 0 {
			m.Offsets[c.Name] = c.Offset
		}
		if c.Factor != 0 {
			m.Factors[c.Name] = c.Factor
		}
	}
	return m
}

// Columns are what was made of the columns of a table.
type Columns struct {
	Moves
	Summary string `json:"columns"`
}

// ColumnsOf are those of a table; nil: the data are none.
func ColumnsOf(s *data.Schema) *Columns {
	if s == nil {
		return nil
	}
	return &Columns{MovesOf(s), s.Summary()}
}

// Model is what train and info say of a model.
type Model struct {
	*Columns
	*Facts
	*Network
	MapFeatures *int              `json:"map_features,omitempty"`
	Notes       map[string]string `json:"notes,omitempty"`
	OnePass     *OnePass          `json:"one_pass,omitempty"`
	Rank        *int              `json:"rank,omitempty"` // of the weights as a matrix, where the penalty is one of that
	Scale       string            `json:"scale"`
	Support     *int              `json:"support,omitempty"`
	Threshold   *model.Threshold  `json:"threshold,omitempty"`
	Coverage    *Coverage         `json:"coverage,omitempty"`
	Nonzeros    int               `json:"weights_nonzero"`
}

// Of is what is said of a model.
func Of(m *model.Model) Model {
	out := Model{Columns: ColumnsOf(m.Schema), Facts: FactsOf(m.Facts), Notes: m.Notes, OnePass: OnePassOf(m), Scale: ScaleOf(m), Threshold: m.Threshold, Coverage: CoverageOf(m.Coverage), Nonzeros: m.Nonzeros()}
	if m.Support != nil {
		out.Support = new(m.Support.Len())
	}
	if n := m.Network; n != nil {
		out.Network = &Network{n, network.ActivationOf(m.Statement.Activation), m.Statement.Hidden, m.Parameters()}
	}
	out.Rank = RankOf(m)
	if m.Map != nil {
		_, features := m.Map.Dims()
		out.MapFeatures = &features
	}
	return out
}

// OnePass is what is said of a model that saw each row once, as means of losses; of the squared loss of (p-y)^2, not half of it.
type OnePass struct {
	MeanLoss           // of all rows, each before it was learned from
	Drifts   bool      `json:"drifts"`
	HeldOut  *MeanLoss `json:"held_out"`
	Last     *MeanLoss `json:"last_rows"`
}

// MeanLoss is the mean loss of some rows, and its standard error as if they were independent.
type MeanLoss struct {
	Loss  model.Bound `json:"loss"`
	Rows  int64       `json:"rows"`
	Error model.Bound `json:"standard_error"`
}

// OnePassOf is what is said of a model; nil: it is none of one pass.
func OnePassOf(m *model.Model) *OnePass {
	s := m.OnePass
	if s == nil {
		return nil
	}
	mean := func(s online.Sum) *MeanLoss {
		if s.Rows == 0 {
			return nil
		}
		return &MeanLoss{model.Bound(s.Mean()), s.Rows, model.Bound(s.Error())}
	}
	out := &OnePass{MeanLoss: *mean(s.All), Last: mean(s.Window())}
	if s.Held != nil {
		out.HeldOut = mean(*s.Held)
	}
	if l := out.Last; l != nil {
		out.Drifts = float64(l.Loss-out.Loss) > 3*math.Hypot(float64(l.Error), float64(out.Error))
	}
	return out
}

// Network is what is said of a network besides its objective.
type Network struct {
	*model.Network
	Activation string `json:"activation"`
	Hidden     []int  `json:"hidden"`
	Parameters int    `json:"parameters"`
}

// RankOf is the rank of the weights of a model with a penalty of all of them together; nil: it has another.
func RankOf(m *model.Model) *int {
	p, err := penalty.New(m.Statement.Penalty)
	matrix, ok := p.(penalty.Matrix)
	if err != nil || !ok || len(m.Outputs) < 2 {
		return nil
	}
	columns := make([][]float64, len(m.Outputs))
	for c, o := range m.Outputs {
		columns[c] = o.Weights
	}
	return new(matrix.Of(len(columns)).Rank(pose.Join(columns)))
}

// ScaleOf names the scaling of the features.
func ScaleOf(m *model.Model) string {
	if m.Scaling == nil {
		return "none"
	}
	return m.Scaling.Kind
}

// Facts are what is known of a kernel machine besides its gap.
type Facts struct {
	*Margin
	*Alignment
	Violation   model.Bound `json:"kkt_violation"`
	LeaveOneOut *float64    `json:"leave_one_out_bound"`
	By          string      `json:"leave_one_out_by"`
	Bounded     int         `json:"support_bounded"`
	Free        int         `json:"support_free"`
}

// Margin is of a machine of one output.
type Margin struct {
	Errors model.Bound `json:"errors"`
	Losses model.Bound `json:"losses_sum"`
	Norm   model.Bound `json:"norm"`
	Steps  model.Bound `json:"sparse_steps"`
}

// Alignment is of the kernel with two classes.
type Alignment struct {
	Alignment model.Bound      `json:"alignment"`
	Rows      int              `json:"alignment_rows"`
	Same      model.Parameters `json:"same_as"`
}

// FactsOf are those of a model; nil: it has none.
func FactsOf(f *model.Facts) *Facts {
	if f == nil {
		return nil
	}
	out := &Facts{Violation: f.Violation, LeaveOneOut: f.LeaveOneOut, By: f.By, Bounded: f.Bounded, Free: f.Support - f.Bounded}
	if !math.IsNaN(float64(f.Norm)) {
		out.Margin = &Margin{f.Errors, f.Losses, f.Norm, f.Steps}
	}
	if f.Sample > 0 {
		out.Alignment = &Alignment{f.Alignment, f.Sample, f.Same}
	}
	return out
}

// Output is what is proved of one classifier, the rows it was trained on known to an audit alone.
type Output struct {
	Class  string        `json:"class,omitempty"` // absent: there is one
	Dual   model.Bound   `json:"dual"`
	Epochs int           `json:"epochs"`
	Gap    model.Bound   `json:"gap"`
	Primal model.Bound   `json:"primal"`
	Region *model.Region `json:"region,omitempty"` // where the optima are; absent: no more is known than by the gap
	Status string        `json:"status"`
	Target string        `json:"target,omitempty"` // of several
}

// Outputs lists what was proved of each output.
func Outputs(m *model.Model) []Output {
	list := make([]Output, len(m.Outputs))
	proved, err := m.Proved()
	for c, o := range m.Outputs {
		k := o.Certificate
		list[c] = Output{Class: ClassOf(m, c), Dual: k.Dual, Epochs: k.Epochs, Gap: model.Bound(problem.Relative(float64(k.Primal), float64(k.Dual), float64(k.Zero))), Primal: k.Primal, Status: k.Status}
		if err == nil {
			list[c].Region = new(proved.Region(c))
		}
		if m.Statement.Targets != nil {
			list[c].Class, list[c].Target = "", list[c].Class
		}
	}
	return list
}

// ClassOf is the name of an output of several; "": it is the only one.
func ClassOf(m *model.Model, c int) string {
	if len(m.Outputs) == 1 {
		return ""
	}
	return OutputName(m, c)
}

// OutputName is the class or target that an output speaks for, or the pair it decides.
func OutputName(m *model.Model, c int) string {
	return m.OutputName(c, " or ")
}

// Coverage is what a model says of its intervals or sets.
type Coverage struct {
	Level    float64      `json:"level"`
	Method   string       `json:"method"`
	Quantile float64      `json:"quantile"`
	Folds    *model.Folds `json:"folds,omitempty"`
}

// CoverageOf leaves out the models of folds; nil: there are no intervals.
func CoverageOf(c *model.Coverage) *Coverage {
	if c == nil {
		return nil
	}
	return &Coverage{c.Level, c.Method, c.Quantile, c.Folds}
}
