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

// Model is a trained linear predictor or, with Support, kernel machine. It is
// not changed by use and may be shared by any number of goroutines.
type Model struct {
	Statement Statement
	Data      Data
	Classes   []string // sorted; nil: regression
	Features  []string // names; nil when the data had none
	Schema    *dataset.Schema
	Scaling   *dataset.Scaling // nil: features as they are
	Outputs   []Output         // one; or one for each of more than two classes, or of their pairs
	Support   *Support         // of a kernel machine; nil: the model is linear
	Version   string           // of the program that trained it

	link loss.Probabilistic // nil when scores are not log-odds
}

// Statement is the exact problem that was solved; package problem has the
// formula. It is stored as JSON.
type Statement struct {
	Loss        string             `json:"loss"`
	Penalty     string             `json:"penalty"`
	Kernel      string             `json:"kernel,omitempty"` // absent: a linear model
	Scheme      string             `json:"scheme,omitempty"` // OneAgainstOne; absent: one against the rest
	Lambda      float64            `json:"lambda"`
	Radius      float64            `json:"radius,omitempty"` // instead of lambda: the norm is at most this
	Nu          float64            `json:"nu,omitempty"`     // instead of lambda: the average slack of the largest margin
	Bias        string             `json:"bias"`
	ClassWeight map[string]float64 `json:"class_weight,omitempty"` // absent classes count once
	Solver      string             `json:"solver"`
	Gap         float64            `json:"gap"` // the relative gap asked for
	Seed        uint64             `json:"seed"`
	ZeroBased   bool               `json:"zero_based,omitempty"` // LIBSVM indices of the data
}

// OneAgainstOne is the Scheme of a model with an output for each pair of classes.
const OneAgainstOne = "one-against-one"

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
	Weights     []float64 // d; of a kernel machine one coefficient for each support vector
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
	defer scratches.Put(s)
	return s.score(m, x)[0]
}

// Scores returns the score of each output for the raw row x, appended to dst.
// A linear model ignores features beyond its own.
func (m *Model) Scores(dst []float64, x matrix.Vector) []float64 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return append(dst, s.score(m, x)...)
}

// ScoreRows writes the scores of the rows from lo to hi to dst, one row of dst
// for each, as long as there are outputs. The bits are those of Scores. Some
// hundred rows at once are several times faster than single ones when there are
// many outputs or support vectors.
func (m *Model) ScoreRows(dst []float64, x matrix.Matrix, lo, hi int) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.rows = s.rows[:0]
	for i := lo; i < hi; i++ {
		s.rows = append(s.rows, m.prepare(x.Row(i), s.room(i-lo)))
	}
	m.predictor().scores(dst[:len(m.Outputs)*(hi-lo)], s.rows)
	clear(s.rows) // the pool must not keep data alive
}

// Predict returns the value predicted for the raw row x: the number itself, or
// for classes the place of the label in Classes.
func (m *Model) Predict(x matrix.Vector) float64 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	scores := s.score(m, x)
	if m.Classes == nil {
		return scores[0]
	}
	return float64(m.Decide(scores))
}

// A scratch is what scoring rows needs room for. It is kept for other rows, of
// whatever model.
type scratch struct {
	rooms  []room // one for each row of a block
	rows   []matrix.Vector
	scores []float64
}

// room is where a row is made ready.
type room struct{ scaled, padded matrix.Vector }

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// room returns the room of a place in a block, which must be at most one more
// than the last.
func (s *scratch) room(at int) *room {
	if at == len(s.rooms) {
		s.rooms = append(s.rooms, room{})
	}
	return &s.rooms[at]
}

// score returns the scores of one raw row, valid until the next call.
func (s *scratch) score(m *Model, x matrix.Vector) []float64 {
	k := len(m.Outputs)
	s.scores = slices.Grow(s.scores[:0], k)[:k]
	m.predictor().score(s.scores, m.prepare(x, s.room(0)))
	return s.scores
}

// prepare cuts off what the model knows nothing of, and scales the rest. A
// kernel machine knows what to make of any row: there is nothing to cut unless
// there is a scaling.
func (m *Model) prepare(x matrix.Vector, r *room) matrix.Vector {
	if m.Support == nil || m.Scaling != nil {
		x = m.fit(x, r)
	}
	if m.Scaling == nil {
		return x
	}
	row := m.Scaling.Row(r.scaled, x)
	r.scaled.Value = row.Value
	if row.Index != nil { // a dense row leaves the room for columns as it was
		r.scaled.Index = row.Index
	}
	return row
}

// fit cuts a row to the features of the model.
func (m *Model) fit(x matrix.Vector, r *room) matrix.Vector {
	d := m.Cols()
	switch n := len(x.Value); {
	case x.Index == nil && n > d:
		x.Value = x.Value[:d]
	case x.Index == nil && n < d && m.Scaling != nil: // what is not there is zero, which scaling may move
		r.padded.Value = append(append(r.padded.Value[:0], x.Value...), make([]float32, d-n)...)
		x = r.padded
	case x.Index != nil && n > 0 && int64(x.Index[n-1]) >= int64(d):
		n, _ = slices.BinarySearch(x.Index, uint32(d))
		x.Index, x.Value = x.Index[:n], x.Value[:n]
	}
	return x
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
// the score is positive; of more the one with the highest, the first among
// equals; and one against one, where output by output a pair of classes, (0,1),
// (0,2), ..., (1,2), ..., decides as two do, the one with the most votes, the
// last among equals.
func (m *Model) Decide(scores []float64) int {
	if m.Statement.Scheme == OneAgainstOne {
		return mostVotes(scores, len(m.Classes))
	}
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

// mostVotes returns the class that most pairs decide for. It looks at each pair
// twice, which takes no memory.
func mostVotes(scores []float64, classes int) int {
	best, most := 0, -1
	for c := range classes {
		votes := 0
		for other := range classes {
			if other < c && scores[pairOf(other, c, classes)] > 0 || other > c && !(scores[pairOf(c, other, classes)] > 0) {
				votes++
			}
		}
		if votes >= most {
			best, most = c, votes
		}
	}
	return best
}

// pairOf returns the output of the classes i < j.
func pairOf(i, j, classes int) int { return i*(2*classes-i-1)/2 + j - i - 1 }

// Pair returns the classes i < j that an output decides between, one against one.
func Pair(output, classes int) (i, j int) {
	for output >= classes-1-i { // so many outputs have i as the first
		output -= classes - 1 - i
		i++
	}
	return i, i + 1 + output
}

// HasProbabilities reports whether the loss makes scores into probabilities.
func (m *Model) HasProbabilities() bool {
	return m.link != nil && m.Classes != nil && m.Statement.Scheme != OneAgainstOne
}

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
