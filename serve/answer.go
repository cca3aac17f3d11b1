package serve

import (
	"cmp"
	"net/http"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/matrix"
)

// work is the memory of a request, kept for others.
type work struct {
	body   []byte
	out    []byte
	record map[string]any
	rows   builder
	runs   bool // is counted among the requests that are answered
}

var works = sync.Pool{New: func() any { return &work{record: map[string]any{}} }}

// builder returns an empty one for rows of a model.
func (w *work) builder(in *inputs) *builder {
	b := &w.rows
	*b = builder{in: in, value: b.value[:0], index: b.index[:0], buffer: b.buffer}
	return b
}

// An answer may have so many scores, or numbers of explanations: few bytes may ask for very many of a model of many classes.
const (
	mostScores    = 1 << 24
	mostExplained = 1 << 22
)

// scores makes room for what k outputs say of each row.
func (a *answer) scores(k int) error {
	if total := int64(a.rows) * int64(k); total > mostScores {
		return refuse(http.StatusRequestEntityTooLarge, "found %d rows, of which the model makes %d numbers, expected at most %d of these: ask about fewer rows", a.rows, total, mostScores)
	}
	a.score = make([]float64, a.rows*k)
	return nil
}

// An answer is what a model says of rows.
type answer struct {
	rows        int
	class       []int     // of each row; nil: numbers
	number      []float64 // rows x targets
	score       []float64 // rows x outputs
	probability []float64 // rows x classes
	coverage    []float64 // rows x 2, the ends of intervals; or rows x classes, 1 where one is in the set
	explanation []float64 // rows x outputs x (columns + 1)
}

// answer scores rows.
func (v *served) answer(x matrix.Matrix, wants []string) (*answer, error) {
	rows, _ := x.Dims()
	a := &answer{rows: rows}
	if v.components != nil {
		return a, v.project(a, x)
	}
	m := v.model
	prepared, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	k := len(m.Outputs)
	if err := a.scores(k); err != nil {
		return nil, err
	}
	if parallel.Blocks(rows, 256, 0, func(_, lo, hi int) { m.ScoreRows(a.score[lo*k:hi*k], prepared, lo, hi) }); pose.CountUnscored(m, slices.Chunk(a.score, max(k, 1))) > 0 {
		return nil, refuse(http.StatusBadRequest, "found rows whose scores or predictions are no finite numbers: their values are too large for this model")
	}
	for i := range rows {
		scores := a.score[i*k : (i+1)*k]
		if m.Classes == nil {
			for _, score := range scores {
				a.number = append(a.number, m.Number(score))
			}
			continue
		}
		class := m.Decide(scores)
		if slices.Contains(wants, outProbability) {
			from := len(a.probability)
			a.probability = m.Probabilities(a.probability, scores)
			class = m.Likeliest(scores, a.probability[from:])
		}
		a.class = append(a.class, class)
	}
	if slices.Contains(wants, outInterval) || slices.Contains(wants, outSet) {
		if err := v.cover(a, prepared); err != nil {
			return nil, err
		}
	}
	if slices.Contains(wants, outExplanation) {
		return a, v.explain(a, x)
	}
	return a, nil
}

// cover sets the intervals, or sets of labels, of rows with scores.
func (v *served) cover(a *answer, prepared matrix.Matrix) error {
	m := v.model
	k, width := len(m.Outputs), cmp.Or(len(m.Classes), 2)
	a.coverage = make([]float64, a.rows*width)
	parallel.Blocks(a.rows, 16, 0, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, scores, of := prepared.Row(i), a.score[i*k:(i+1)*k], a.coverage[i*width:(i+1)*width]
			if m.Classes == nil {
				of[0], of[1] = m.Interval(row, scores[0])
			}
			for _, class := range m.Labels(nil, row, scores) {
				of[class] = 1
			}
		}
	})
	if slices.ContainsFunc(a.coverage, func(x float64) bool { return x-x != 0 }) {
		return refuse(http.StatusBadRequest, "interval: found rows whose intervals are no finite numbers: their values are too large for this model")
	}
	return nil
}

// project sets the coordinates of rows.
func (v *served) project(a *answer, x matrix.Matrix) error {
	prepared, err := v.components.Prepare(x)
	if err != nil {
		return err
	}
	k := v.components.Statement.K
	if err := a.scores(k); err != nil {
		return err
	}
	parallel.Blocks(a.rows, 64, 0, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v.components.Transform(a.score[i*k:(i+1)*k], prepared.Row(i))
		}
	})
	return nil
}

// explain sets what each column adds to each score: the sum over its features of weight times value, as the model scales it.
// With the bias, which is last, they add up to the score.
func (v *served) explain(a *answer, x matrix.Matrix) error {
	m := v.model
	k, width, of := len(m.Outputs), v.explained()+1, v.columnsOf()
	if total := int64(a.rows) * int64(k) * int64(width); total > mostExplained {
		return refuse(http.StatusRequestEntityTooLarge, "explanation: found %d numbers to be sent, expected at most %d: ask about fewer rows", total, mostExplained)
	}
	a.explanation = make([]float64, a.rows*k*width)
	for i := range a.rows {
		row := x.Row(i)
		if m.Scaling != nil {
			row = m.Scaling.Row(matrix.Vector{}, row)
		}
		for c, o := range m.Outputs {
			out := a.explanation[(i*k+c)*width : (i*k+c+1)*width]
			for n, value := range row.Value {
				if j := int(row.Column(n)); j < len(o.Weights) {
					out[of(j)] += float64(value) * o.Weights[j]
				}
			}
			out[width-1] = o.Bias
		}
	}
	return nil
}
