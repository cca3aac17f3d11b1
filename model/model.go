// Package model holds what was learned, and nothing about how.
//
// A [Model] scores rows, and is written to and read from one safetensors file:
// a JSON header and raw little-endian tensors, which Python, R and Rust read
// with an existing library.
//
//	weights  F64  outputs x d   of the scaled features
//	bias     F64  outputs
//	dual     F32 or F64  outputs x n   the proof; absent if left out on purpose
//	offset, factor  F64  d      the scaling; absent when there is none
//
// A kernel machine has instead of weights
//
//	coefficients     F64  outputs x support
//	support.values   F32  support x d, the scaled rows; or, sparse, their values
//	support.indices  U32  columns of these values
//	support.indptr   I64  support + 1: where the values of each row begin
//	support.rows     U32  support: which rows of the data these are
//
// A linear model of images, those of an approximate kernel, has weights of
// their features, outputs x features, and the landmarks that the map is made of,
// if any, as landmarks.values, landmarks.indices and landmarks.indptr.
//
// The header's metadata says which problem was solved, what was proved, which
// classes and features there are, and digests of data and tensors. A model file
// holds no times, threads, paths or dates: the same training writes the same
// bytes.
package model

import (
	"encoding/json"
	"math"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
)

// Model is a trained linear predictor or, with Support, kernel machine. It is
// not changed by use and may be shared by any number of goroutines.
type Model struct {
	Statement Statement
	Data      Data
	Classes   []string // sorted, where the model is not imported; nil: regression
	Features  []string // names; nil when the data had none
	Schema    *dataset.Schema
	Scaling   *dataset.Scaling // nil: features as they are
	Outputs   []Output         // one; or one for each of more than two classes, or of their pairs
	Support   *Support         // of a kernel machine; nil: the model is linear
	Map       kernel.Map       // to the images that a linear model is one of; nil: of the rows
	Version   string           // of the program that trained it

	link loss.Probabilistic // nil when scores are not log-odds
}

// Statement is the exact problem that was solved; package problem has the
// formula. It is stored as JSON.
type Statement struct {
	Task        string             `json:"task,omitempty"` // OneClass; absent: classes or numbers
	Loss        string             `json:"loss"`
	Penalty     string             `json:"penalty"`
	Kernel      string             `json:"kernel,omitempty"` // absent: a linear model
	Map         string             `json:"map,omitempty"`    // approximates the kernel; absent: none
	Scheme      string             `json:"scheme,omitempty"` // OneAgainstOne; absent: one against the rest
	Lambda      float64            `json:"lambda"`
	Radius      float64            `json:"radius,omitempty"` // instead of lambda: the norm is at most this
	Slack       float64            `json:"slack,omitempty"`  // instead of lambda: its average, of the largest margin
	Nu          float64            `json:"nu,omitempty"`     // instead of a margin or tube: the share of rows beyond it
	Bias        string             `json:"bias"`
	ClassWeight map[string]float64 `json:"class_weight,omitempty"` // absent classes count once
	Solver      string             `json:"solver"`
	Gap         float64            `json:"gap"` // the relative gap asked for
	Seed        uint64             `json:"seed"`
	ZeroBased   bool               `json:"zero_based,omitempty"` // LIBSVM indices of the data
}

// OneAgainstOne is the Scheme of a model with an output for each pair of classes.
const OneAgainstOne = "one-against-one"

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
	Digest   string `json:"digest"` // of the parsed rows, before scaling
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
	l, err := loss.New(m.Statement.Loss)
	if err != nil {
		return err
	}
	m.link, _ = l.(loss.Probabilistic)
	return nil
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
