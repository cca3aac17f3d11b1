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

// scoreRequest asks for scores, for probabilities, for what these predict (positions of classes, or numbers), or for intervals.
type scoreRequest struct {
	Model         source `json:"model"`
	X             rows   `json:"x"`
	Table         *table `json:"table"` // has the rows in place of X
	Probabilities bool   `json:"probabilities"`
	Predictions   bool   `json:"predictions"`
	Bounds        bool   `json:"bounds"` // in place of scores: the lowest and the highest of each output by exact optima, and 1 where the class is sure
	Interval      bool   `json:"interval"`
	Threads       int    `json:"threads"`
}

// score predicts rows: its answer has the place of float64 numbers, rows x outputs; of
// probabilities rows x classes; of intervals rows x 2, or of sets rows x classes, 1 where a class is in the set.
func (r *request) score(q *scoreRequest) (any, error) {
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
	x, warnings, err := r.toScore(q, m)
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
	case q.Predictions && m.Classes == nil:
		for i, s := range scores {
			scores[i] = m.Number(s)
		}
	case q.Predictions:
		scores, outputs = decisions(m, scores), 1
	}
	place, err := put(r.mapped, scores)
	return map[string]any{"scores": place, "outputs": outputs, "warnings": texts(warnings)}, err
}

// toScore returns the rows that a request brings.
func (r *request) toScore(q *scoreRequest, m *model.Model) (x matrix.Matrix, warnings []error, err error) {
	if q.Table == nil {
		x, err = r.checked(q.X, m.Cols(), m.IsImported())
		return x, nil, err
	}
	if !m.Schema.Table() {
		return nil, nil, pose.DataError{Reason: "found a table, expected numbers: the model does not know how columns become features"}
	}
	q.Table.Schema = m.Schema
	set, err := q.Table.read(r.ctx, r.mapped)
	if err != nil {
		return nil, nil, err
	}
	return set.X, set.Warnings, nil
}

// decisions returns the position of the class that the scores of each row predict.
func decisions(m *model.Model, scores []float64) []float64 {
	k := len(m.Outputs)
	all := make([]float64, 0, len(scores)/k)
	for ; len(scores) > 0; scores = scores[k:] {
		all = append(all, float64(m.Decide(scores[:k])))
	}
	return all
}

// bounds tells between which numbers the scores of exact optima are.
func (r *request) bounds(m *model.Model, x matrix.Matrix, threads int) (any, error) {
	proved, err := m.Proved()
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	k := len(m.Outputs)
	all := make([]float64, n*(2*k+1))
	parallel.Blocks(n, scoreRows, threads, func(_, lo, hi int) {
		if r.ctx.Err() != nil {
			return
		}
		bounds := make([]model.Interval, k*(hi-lo))
		proved.ScoreRows(make([]float64, k*(hi-lo)), bounds, x, lo, hi)
		for i := lo; i < hi; i++ {
			b, own := bounds[k*(i-lo):k*(i-lo+1)], all[i*(2*k+1):(i+1)*(2*k+1)]
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

// checkWidth refuses rows of another number of features than is expected.
func checkWidth(found, expected int) error {
	if found == expected {
		return nil
	}
	return pose.DataError{Reason: fmt.Sprintf("found rows of %s, expected %d", registry.Count(found, "feature"), expected)}
}

// checked returns rows of so many columns, with finite values.
func (r *request) checked(w rows, cols int, wider bool) (matrix.Matrix, error) {
	x, err := w.matrix(r.mapped)
	if err != nil {
		return nil, err
	}
	if err := checkWidth(w.Cols, cols); err != nil && !wider {
		return nil, err
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
