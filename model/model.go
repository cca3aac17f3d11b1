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
// The header's metadata says which problem was solved, what was proved, which
// classes and features there are, and digests of data and tensors. A model file
// holds no times, threads, paths or dates: the same training writes the same
// bytes.
package model

import (
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Model is a trained linear predictor. It is not changed by use and may be
// shared by any number of goroutines.
type Model struct {
	Statement Statement
	Data      Data
	Classes   []string // sorted; nil: regression
	Features  []string // names; nil when the data had none
	Schema    *dataset.Schema
	Scaling   *dataset.Scaling // nil: features as they are
	Outputs   []Output         // one; or one for each of more than two classes
	Version   string           // of the program that trained it

	link loss.Probabilistic // nil when scores are not log-odds
}

// Statement is the exact problem that was solved; package problem has the
// formula. It is stored as JSON.
type Statement struct {
	Loss        string             `json:"loss"`
	Penalty     string             `json:"penalty"`
	Lambda      float64            `json:"lambda"`
	Bias        string             `json:"bias"`
	ClassWeight map[string]float64 `json:"class_weight,omitempty"` // absent classes count once
	Solver      string             `json:"solver"`
	Gap         float64            `json:"gap"` // the relative gap asked for
	Seed        uint64             `json:"seed"`
	ZeroBased   bool               `json:"zero_based,omitempty"` // LIBSVM indices of the data
}

// Data identifies the training rows.
type Data struct {
	Rows     int    `json:"rows"`
	Features int    `json:"features"`
	Nonzeros int64  `json:"nonzeros"`
	Digest   string `json:"digest"` // of the parsed rows, before scaling
}

// Output is one linear function, with its proof. With two classes a positive
// score means the second one; with more, output c speaks for class c.
type Output struct {
	Weights     []float64 // d
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

// Cols returns the number of features.
func (m *Model) Cols() int { return m.Data.Features }

// Score returns the score of the first output for the raw row x: the number
// predicted, or for two classes how far on the side of the second x lies. Like
// every method that takes a row it allocates nothing, as a rule, and may be
// called by any number of goroutines at once.
func (m *Model) Score(x matrix.Vector) float64 {
	s := scratches.Get().(*scratch)
	score := m.score(0, m.prepare(x, s))
	scratches.Put(s)
	return score
}

// Scores returns the score of each output for the raw row x, appended to dst.
// Features beyond the model's are ignored.
func (m *Model) Scores(dst []float64, x matrix.Vector) []float64 {
	s := scratches.Get().(*scratch)
	x = m.prepare(x, s)
	for c := range m.Outputs {
		dst = append(dst, m.score(c, x))
	}
	scratches.Put(s)
	return dst
}

// ScoreRows writes the scores of the rows from lo to hi to dst, one row of dst
// for each, as long as there are outputs. The bits are those of Scores. Some
// hundred rows at once are several times faster than single ones when there are
// many outputs: the weights of one output then stay in the cache for all rows.
func (m *Model) ScoreRows(dst []float64, x matrix.Matrix, lo, hi int) {
	k := len(m.Outputs)
	dst = dst[:k*(hi-lo)]
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	if k == 1 {
		for i := lo; i < hi; i++ {
			dst[i-lo] = m.score(0, m.prepare(x.Row(i), s))
		}
		return
	}
	s.rows = s.rows[:0]
	for i := lo; i < hi; i++ {
		row := m.prepare(x.Row(i), s)
		if m.Scaling != nil { // row is in s.scaled, which the next one needs
			row = matrix.Vector{Index: slices.Clone(row.Index), Value: slices.Clone(row.Value)}
		}
		s.rows = append(s.rows, row)
	}
	for c := range k {
		for i, row := range s.rows {
			dst[i*k+c] = m.score(c, row)
		}
	}
	clear(s.rows) // the pool must not keep data alive
}

// Predict returns the value predicted for the raw row x: the number itself, or
// for classes the place of the label in Classes.
func (m *Model) Predict(x matrix.Vector) float64 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	x = m.prepare(x, s)
	if m.Classes == nil {
		return m.score(0, x)
	}
	s.scores = s.scores[:0]
	for c := range m.Outputs {
		s.scores = append(s.scores, m.score(c, x))
	}
	return float64(m.Decide(s.scores))
}

// score is that of output c for a row made ready by prepare.
func (m *Model) score(c int, x matrix.Vector) float64 {
	return x.Dot(m.Outputs[c].Weights) + m.Outputs[c].Bias
}

// A scratch is what scoring one row needs room for. It is kept for other rows,
// of whatever model.
type scratch struct {
	scaled, padded matrix.Vector
	scores         []float64
	rows           []matrix.Vector
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// prepare cuts off what the model has no weight for, and scales the rest.
func (m *Model) prepare(x matrix.Vector, s *scratch) matrix.Vector {
	d := m.Cols()
	switch n := len(x.Value); {
	case x.Index == nil && n > d:
		x.Value = x.Value[:d]
	case x.Index == nil && n < d && m.Scaling != nil: // what is not there is zero, which scaling may move
		s.padded.Value = append(append(s.padded.Value[:0], x.Value...), make([]float32, d-n)...)
		x = s.padded
	case x.Index != nil && n > 0 && int64(x.Index[n-1]) >= int64(d):
		n, _ = slices.BinarySearch(x.Index, uint32(d))
		x.Index, x.Value = x.Index[:n], x.Value[:n]
	}
	if m.Scaling == nil {
		return x
	}
	row := m.Scaling.Row(s.scaled, x)
	s.scaled.Value = row.Value
	if row.Index != nil { // a dense row leaves the room for columns as it was
		s.scaled.Index = row.Index
	}
	return row
}

// Class returns the label predicted for the raw row x, spelled as in the
// training data; "" for regression.
func (m *Model) Class(x matrix.Vector) string {
	if m.Classes == nil {
		return ""
	}
	return m.Classes[int(m.Predict(x))]
}

// Decide returns the class of a row with these scores: the second of two where
// the score is positive, and the highest of more, the first among equals.
func (m *Model) Decide(scores []float64) int {
	if len(scores) == 1 {
		if scores[0] > 0 {
			return 1
		}
		return 0
	}
	best := 0
	for c, s := range scores {
		if s > scores[best] {
			best = c
		}
	}
	return best
}

// HasProbabilities reports whether the loss makes scores into probabilities.
func (m *Model) HasProbabilities() bool { return m.link != nil && m.Classes != nil }

// Probabilities returns one probability per class, appended to dst, for scores
// of one row. More than two classes: the outputs' own, divided by their sum.
func (m *Model) Probabilities(dst, scores []float64) []float64 {
	if len(scores) == 1 {
		p := m.link.Probability(scores[0])
		return append(dst, 1-p, p)
	}
	begin, sum := len(dst), 0.0
	for _, s := range scores {
		p := m.link.Probability(s)
		dst, sum = append(dst, p), sum+p
	}
	for c := range dst[begin:] {
		if sum > 0 {
			dst[begin+c] /= sum
		} else {
			dst[begin+c] = 1 / float64(len(scores))
		}
	}
	return dst
}

// Seal makes the model ready for use after its fields are set.
func (m *Model) Seal() error {
	l, err := loss.New(m.Statement.Loss)
	if err != nil {
		return err
	}
	m.link, _ = l.(loss.Probabilistic)
	return nil
}

// Nonzeros returns the number of weights that are not zero, over all outputs.
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
