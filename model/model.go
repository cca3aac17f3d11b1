package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/solve/online"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Model is a trained linear predictor or, with Support, kernel machine. It is
// not changed by use and may be shared by any number of goroutines.
type Model struct {
	Statement Statement
	Data      Data
	Classes   []string // sorted, where the model is not imported; nil: regression
	Features  []string // names; nil when the data had none
	Schema    *data.Schema
	Scaling   *data.Scaling     // nil: features as they are
	Outputs   []Output          // one; or one for each of more than two classes, or of their pairs
	Support   *Support          // support vectors of a kernel machine; nil: the model is linear
	Map       featuremap.Map    // map to the features of which the model is linear; nil: those of the rows
	Network   *Network          // hidden layers, of whose last the model is linear; nil: the model is no network
	Version   string            // version of the program that trained the model
	Sparse    *Sparse           // how the model was made smaller, from a machine of more support vectors; nil: it was trained
	Facts     *Facts            // what the proof says of a kernel machine beyond the gap; nil: another model, or a file that does not say
	OnePass   *online.State     // what is known of the rows of a model that saw each once, and what it goes on from; nil: another model
	Notes     map[string]string // notes of users, see CheckNotes; nil: none

	// CustomLoss and CustomPenalty are those that the statement names, where the program
	// that trained the model brought them: no file holds them. Predictions need neither.
	CustomLoss    loss.Loss
	CustomPenalty penalty.Penalty

	Calibration *Calibration // probabilities of a model of LIBSVM, or those that training fitted; nil: none
	Threshold   *Threshold   // score or probability from which on the second of two classes is predicted; nil: score 0
	Coverage    *Coverage    // intervals of numbers, or sets of classes; nil: none

	link loss.Probabilistic          // nil when scores are not log-odds
	mean func(score float64) float64 // nil when numbers predicted are scores

	shares joint.Probabilistic // nil where the scores of all classes together are no log-odds
}

// Statement is the exact problem that was solved; package problem has the
// formula. It is stored as JSON.
type Statement struct {
	Task        string             `json:"task,omitempty"` // OneClass; absent: classes or numbers
	Loss        string             `json:"loss"`
	Penalty     string             `json:"penalty"`
	Kernel      string             `json:"kernel,omitempty"`     // absent: a linear model
	Map         string             `json:"map,omitempty"`        // approximates the kernel; absent: none
	Hidden      []int              `json:"hidden,omitempty"`     // units of the hidden layers of a network; absent: the model is none
	Activation  string             `json:"activation,omitempty"` // of hidden units; absent: relu
	Scheme      string             `json:"scheme,omitempty"`     // OneAgainstOne or Joint; absent: one against the rest
	TargetLog   bool               `json:"target_log,omitempty"` // predictions are logarithms of the targets
	Lambda      float64            `json:"lambda"`
	Radius      float64            `json:"radius,omitempty"`      // instead of lambda: the norm is at most this
	Slack       float64            `json:"slack,omitempty"`       // instead of lambda: its average, of the largest margin, which is the unit of weights and bias
	HardMargin  bool               `json:"hard_margin,omitempty"` // the margin is the largest without slack: Slack is 0
	Nu          float64            `json:"nu,omitempty"`          // instead of a margin or tube: the share of rows beyond it
	Bias        string             `json:"bias"`
	ClassWeight map[string]float64 `json:"class_weight,omitempty"` // absent classes count once
	Solver      string             `json:"solver"`
	Gap         float64            `json:"gap"` // the relative gap asked for
	Seed        uint64             `json:"seed"`
	ZeroBased   bool               `json:"zero_based,omitempty"` // LIBSVM indices of the data
	Targets     []Target           `json:"targets,omitempty"`    // numbers of several columns, each predicted by an output; absent: one
}

// Target is one of several numbers that a model predicts, with what of its problem is not as the
// statement has it, which is that of the first.
type Target struct {
	Name   string  `json:"name"`
	Loss   string  `json:"loss,omitempty"`   // absent: the statement's
	Lambda float64 `json:"lambda,omitempty"` // absent: the statement's
}

// Of returns the statement of output c: of several targets each may have a loss and a lambda of its own.
func (s Statement) Of(c int) Statement {
	if s.Targets != nil {
		s.Loss, s.Lambda = cmp.Or(s.Targets[c].Loss, s.Loss), cmp.Or(s.Targets[c].Lambda, s.Lambda)
	}
	return s
}

// Alike reports whether there are several targets, and their problems differ in nothing else.
func (s Statement) Alike() bool {
	return s.Targets != nil && !slices.ContainsFunc(s.Targets, func(t Target) bool { return t.Loss != "" || t.Lambda != 0 })
}

// OutputName is the class or the target that an output speaks for, or the pair of classes with the word
// between them; "" where there is one output of numbers.
func (m *Model) OutputName(c int, between string) string {
	switch s := m.Statement; {
	case s.Targets != nil:
		return s.Targets[c].Name
	case m.Classes == nil:
		return ""
	case s.Scheme != OneAgainstOne:
		return m.Classes[c]
	}
	i, j := Pair(c, len(m.Classes))
	return m.Classes[i] + between + m.Classes[j]
}

// Foreign begins the name of a loss, penalty or solver in a Statement that is of the program
// that trained the model, not of this module.
const Foreign = "foreign:"

// OneAgainstOne is the Scheme of a model with an output for each pair of classes.
const OneAgainstOne = "one-against-one"

// Joint is the Scheme of a model with an output for each class, two also, or for each target, that were learned
// together: one loss judges the scores of all, or one penalty the weights. Every output has the certificate of the whole.
const Joint = "joint"

// IsJoint reports whether that is the model's scheme.
func (m *Model) IsJoint() bool { return m.Statement.Scheme == Joint }

// OneClass is the Task of a model that tells outliers, the first of its classes, from
// rows like those that it was made of, the second.
const OneClass = "one-class"

// OneClassLabels returns these classes.
func OneClassLabels() []string { return []string{"-1", "1"} }

// OneClass reports whether the model's task is that.
func (m *Model) OneClass() bool { return m.Statement.Task == OneClass }

// Imported is the status of an output that was read from a file of another
// program: nothing is known of the problem's lambda, and nothing was proved.
const Imported = "imported"

// Data identifies the training rows.
type Data struct {
	Rows     int    `json:"rows"` // 0 in an imported model
	Features int    `json:"features"`
	Nonzeros int64  `json:"nonzeros"`
	Classes  int    `json:"classes,omitempty"` // number of classes that targets were taken for; absent: numbers, none, or a model that did not say
	Columns  int    `json:"columns,omitempty"` // number of columns of the table that the rows were; absent: no table, or a model that did not say
	Digest   string `json:"digest"`            // digest of the parsed rows, before scaling

	Precision string `json:"precision,omitempty"` // "double": values of the rows are float64; absent: float32
}

// Output is one function, with its proof. With two classes a positive score
// means the second one; with more, output c speaks for class c, or for a pair of
// classes as Decide has it.
type Output struct {
	Weights     []float64 // d; with a Map one for each of its features; of a kernel machine a coefficient for each support vector
	Bias        float64
	Dual        []float64 // n; nil when it was left out
	Certificate Certificate
}

// Certificate is what was proved of one output. It is stored as JSON.
type Certificate struct {
	Status string `json:"status"`
	Primal Bound  `json:"primal"`
	Dual   Bound  `json:"dual"`
	Zero   Bound  `json:"zero"` // the objective of the zero point
	Epochs int    `json:"epochs"`

	Region *Region `json:"region,omitempty"` // where the optima are; nil: only as far as the gap says
}

// Bound is a number that JSON writes as null when it is not finite; null reads
// as NaN, which proves nothing.
type Bound float64

// MarshalJSON writes the number or null.
func (b Bound) MarshalJSON() ([]byte, error) {
	if x := float64(b); math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(b))
}

// UnmarshalJSON reads a number or null.
func (b *Bound) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*b = Bound(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(b))
}

// Cols returns the number of features of rows.
func (m *Model) Cols() int { return m.Data.Features }

// Seal makes the model ready for use after its fields are set.
func (m *Model) Seal() error {
	if m == nil {
		return errors.New("model: found none, expected one")
	}
	l := m.CustomLoss
	if m.IsJoint() && m.Statement.Targets == nil {
		all, err := joint.New(m.Statement.Loss)
		m.shares, _ = all.(joint.Probabilistic)
		return err
	}
	if !strings.HasPrefix(m.Statement.Loss, Foreign) {
		var err error
		if l, err = loss.New(m.Statement.Loss); err != nil {
			return err
		}
	}
	m.link, _ = l.(loss.Probabilistic)
	if m.mean = nil; m.Statement.TargetLog {
		m.mean = elementary.Exp
	} else if linked, ok := l.(loss.Linked); ok {
		m.mean = linked.Mean
	}
	return nil
}

// IsLinear reports whether scores are sums of the features of rows, each times a weight.
func (m *Model) IsLinear() bool { return m.Support == nil && m.Map == nil && m.Network == nil }

// form says in words what kind of model it is.
func (m *Model) form() string {
	switch {
	case m.Network != nil:
		return "a network"
	case m.IsLinear():
		return "a linear model"
	}
	return "a kernel machine"
}

// Nonzeros returns the number of weights, or coefficients of support vectors,
// that are not zero, over all outputs.
func (m *Model) Nonzeros() int {
	n := 0
	for _, o := range m.Outputs {
		for _, w := range o.Weights {
			if w != 0 && !math.IsNaN(w) {
				n++
			}
		}
	}
	return n
}
