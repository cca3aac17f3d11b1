package engine

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// scoreRows is how many rows are scored at a time: between them a request can end.
const scoreRows = 1024

// score predicts rows: its answer has the place of float64 numbers, rows x outputs; of
// probabilities rows x classes; of intervals rows x 2, or of sets rows x classes, 1 where a class is in the set.
func (r *request) score(q *struct {
	Model         source `json:"model"`
	X             rows   `json:"x"`
	Probabilities bool   `json:"probabilities"`
	Bounds        bool   `json:"bounds"` // in place of scores: the lowest and the highest of each output by exact optima, and 1 where the class is sure
	Interval      bool   `json:"interval"`
	Threads       int    `json:"threads"`
}) (any, error) {
	m, err := r.model(q.Model)
	if err != nil {
		return nil, err
	}
	if q.Probabilities && !m.HasProbabilities() {
		return nil, errors.New("found a model without probabilities, expected one that was trained with them, or the loss logistic or softmax")
	}
	if q.Interval && m.Coverage == nil {
		return nil, errors.New("found a model without intervals, expected one that was trained with them")
	}
	x, err := r.checked(q.X, m.Cols(), m.IsImported())
	if err != nil {
		return nil, err
	}
	if x, err = m.Prepare(x); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	if q.Bounds {
		return r.bounds(m, x, q.Threads)
	}
	scores, err := r.scores(m, x, q.Threads)
	if err != nil {
		return nil, err
	}
	outputs := len(m.Outputs)
	switch {
	case q.Interval:
		scores, outputs = intervals(m, x, scores)
	case q.Probabilities:
		scores, outputs = probabilities(m, scores), len(m.Classes)
	}
	place, err := put(r.mapped, scores)
	return map[string]any{"scores": place, "outputs": outputs}, err
}

// bounds tells between which numbers the scores of exact optima are.
func (r *request) bounds(m *model.Model, x matrix.Matrix, threads int) (any, error) {
	proved, err := m.Proved()
	if err != nil {
		return nil, err
	}
	scores, err := r.scores(m, x, threads)
	if err != nil {
		return nil, err
	}
	n, k := len(scores)/len(m.Outputs), len(m.Outputs)
	all := make([]float64, n*(2*k+1))
	parallel.Blocks(n, scoreRows, threads, func(_, lo, hi int) {
		var b []model.Interval
		for i := lo; i < hi && r.ctx.Err() == nil; i++ {
			b = proved.Bounds(b[:0], x.Row(i), scores[i*k:(i+1)*k])
			own := all[i*(2*k+1) : (i+1)*(2*k+1)]
			for c, interval := range b {
				own[2*c], own[2*c+1] = interval.Low, interval.High
			}
			if proved.Sure(b) {
				own[2*k] = 1
			}
		}
	})
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	place, err := put(r.mapped, all)
	return map[string]any{"scores": place, "outputs": 2*k + 1}, err
}

// intervals returns both ends for every row with these scores, or for every class whether it is in the set.
func intervals(m *model.Model, x matrix.Matrix, scores []float64) (all []float64, columns int) {
	k := len(m.Outputs)
	var labels []int
	for i := range len(scores) / k {
		one := scores[i*k : (i+1)*k]
		if m.Classes == nil {
			lower, upper := m.Interval(x.Row(i), one[0])
			all = append(all, lower, upper)
			continue
		}
		in := make([]float64, len(m.Classes))
		for _, class := range m.Labels(labels[:0], x.Row(i), one) {
			in[class] = 1
		}
		all = append(all, in...)
	}
	return all, max(2, len(m.Classes))
}

// probabilities returns those of all classes for rows with these scores.
func probabilities(m *model.Model, scores []float64) []float64 {
	k := len(m.Outputs)
	all := make([]float64, 0, len(scores)/k*len(m.Classes))
	for ; len(scores) > 0; scores = scores[k:] {
		all = m.Probabilities(all, scores[:k])
	}
	return all
}

// checked returns rows of so many columns, with finite values.
func (r *request) checked(w rows, cols int, wider bool) (matrix.Matrix, error) {
	x, err := w.matrix(r.mapped)
	if err != nil {
		return nil, err
	}
	if w.Cols != cols && !wider {
		return nil, pose.DataError{Reason: fmt.Sprintf("found rows of %s, expected %d", registry.Count(w.Cols, "feature"), cols)}
	}
	if row, col, ok := matrix.Finite(x); !ok {
		return nil, pose.DataError{Reason: fmt.Sprintf("row %d: feature %d is not a finite number", row+1, col+1)}
	}
	return x, nil
}

// scores predicts prepared rows, until the request ends.
func (r *request) scores(m *model.Model, x matrix.Matrix, threads int) ([]float64, error) {
	n, _ := x.Dims()
	k := len(m.Outputs)
	all := make([]float64, n*k)
	parallel.Blocks(n, scoreRows, threads, func(_, lo, hi int) {
		if r.ctx.Err() == nil {
			m.ScoreRows(all[lo*k:hi*k], x, lo, hi)
		}
	})
	return all, r.ctx.Err()
}
