package model

import (
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Score returns the score of the first output for the raw row x: the number
// predicted, or for two classes how far on the side of the second x lies. Like
// every method that takes a row it allocates nothing, as a rule, and may be
// called by any number of goroutines at once; and it does not check x, as
// [Model.CheckRow] does: rows from outside are to be checked first.
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
	s.scoreRows(m, dst, x, lo, hi)
	clear(s.rows) // the pool must not keep data alive
}

// Predict returns the value predicted for the raw row x: the number itself, that of the first of several targets, or
// for classes the place of the label in Classes.
func (m *Model) Predict(x matrix.Vector) float64 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	scores := s.score(m, x)
	if m.Classes == nil {
		return m.Number(scores[0])
	}
	return float64(m.Decide(scores))
}

// Numbers returns the number predicted for each target of the raw row x, appended to dst: of one target that of
// Predict.
func (m *Model) Numbers(dst []float64, x matrix.Vector) []float64 {
	from := len(dst)
	dst = m.Scores(dst, x)
	for c, score := range dst[from:] {
		dst[from+c] = m.Number(score)
	}
	return dst
}

// Number returns the number predicted where the score is this: the score, unless the loss says
// that scores are another function of the mean, as the logarithm with the loss poisson, or they are
// of the logarithms of targets.
func (m *Model) Number(score float64) float64 {
	if m.mean != nil {
		return m.mean(score)
	}
	return score
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

// scoreRows is Model.ScoreRows, and leaves the rows, as prepare makes them ready, in s.rows.
func (s *scratch) scoreRows(m *Model, dst []float64, x matrix.Matrix, lo, hi int) {
	s.rows = s.rows[:0]
	for i := lo; i < hi; i++ {
		s.rows = append(s.rows, m.prepare(x.Row(i), s.room(i-lo)))
	}
	m.predictor().scores(dst[:len(m.Outputs)*(hi-lo)], s.rows)
}

// prepare cuts off what the model knows nothing of, and scales the rest. A
// kernel knows what to make of any row: there is nothing to cut unless there is
// a scaling.
func (m *Model) prepare(x matrix.Vector, r *room) matrix.Vector {
	if m.Support == nil && m.Map == nil || m.Scaling != nil {
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
	d, n := m.Cols(), len(x.Value)
	if x.Index == nil && n < d && m.Scaling != nil { // what is not there is zero, which scaling may move
		r.padded.Value = append(append(r.padded.Value[:0], x.Value...), make([]float32, d-n)...)
		return r.padded
	}
	return without(x, d)
}

// without returns the row without the features from d on.
func without(x matrix.Vector, d int) matrix.Vector {
	n := len(x.Value)
	if x.Index == nil {
		x.Value = x.Value[:min(n, d)]
	} else if n > 0 && int64(x.Index[n-1]) >= int64(d) {
		n, _ = slices.BinarySearch(x.Index, uint32(d))
		x.Index, x.Value = x.Index[:n], x.Value[:n]
	}
	return x
}

// Original returns the weights and the bias of an output of a linear model for features as
// the data have them: as they were before the model's scaling, and before the offsets of
// its columns were subtracted.
func (m *Model) Original(output int) (weights []float64, bias float64) {
	o := m.Outputs[output]
	weights, bias = o.Weights, o.Bias
	if m.Scaling != nil {
		weights = make([]float64, len(o.Weights))
		for j, w := range o.Weights {
			weights[j] = w * m.Scaling.Factor[j]
			bias -= float64(weights[j] * m.Scaling.Offset[j])
		}
	}
	if factors := m.Schema.Factors(); factors != nil {
		weights = slices.Clone(weights)
		for j, f := range factors {
			weights[j] *= f
		}
	}
	for j, offset := range m.Schema.Offsets() {
		bias -= float64(weights[j] * offset)
	}
	return weights, bias
}

// predictor returns m as the kind of model it is.
func (m *Model) predictor() predictor {
	switch {
	case m.Network != nil:
		return (*layered)(m)
	case m.Support != nil:
		return (*machine)(m)
	case m.Map != nil:
		return (*mapped)(m)
	}
	return (*linear)(m)
}

// Scores returns the scores of every row, rows x outputs.
func Scores(m *Model, x matrix.Matrix, threads int) [][]float64 {
	n, _ := x.Dims()
	k := len(m.Outputs)
	scores, all := make([][]float64, n), make([]float64, n*k)
	parallel.Blocks(n, 1024, threads, func(_, lo, hi int) {
		m.ScoreRows(all[lo*k:hi*k], x, lo, hi)
		for i := lo; i < hi; i++ {
			scores[i] = all[i*k : (i+1)*k : (i+1)*k]
		}
	})
	return scores
}
