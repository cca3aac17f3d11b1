package model

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// A machine's score is its definition, for rows of any storage and width.
func TestMachineScoreIsTheDefinition(t *testing.T) {
	m := examples(t)["sparse machine"]
	support := [][]float64{{1, 0, -2, 0}, {0, 0, 0, 0}, {0, 0.25, 0, 0}}
	dense := []float32{0.5, -1, 2, 3}
	for _, n := range []int{0, 2, 3, 4} {
		x := [4]float64{}
		for j := range n {
			x[j] = float64(dense[j])
		}
		want := 0.0
		for j, s := range support {
			distance := 0.0
			for k := range x {
				distance += (x[k] - s[k]) * (x[k] - s[k])
			}
			want += m.Outputs[0].Weights[j] * math.Exp(-0.5*distance)
		}
		for kind, row := range map[string]matrix.Vector{
			"dense": {Value: dense[:n]}, "sparse": {Index: []uint32{0, 1, 2, 3}[:n], Value: dense[:n]},
		} {
			scores := m.Scores(nil, row)
			for c, score := range scores {
				if want := want + m.Outputs[c].Bias; math.Abs(score-want) > 1e-12 {
					t.Errorf("%s row of %d: output %d scores %g, expected %g", kind, n, c, score, want)
				}
			}
		}
	}
}

// F9: to predict one row takes exactly as many values of the kernel as there
// are support vectors, however many outputs share them.
func TestOneRowCostsTheSupport(t *testing.T) {
	m := examples(t)["sparse machine"]
	row := matrix.Vector{Value: []float32{1, 2, 3}}
	for i, use := range []func(){
		func() { m.Score(row) }, func() { m.Predict(row) }, func() { m.Scores(nil, row) },
		func() { m.ScoreRows(make([]float64, 3), &matrix.Dense{Rows: 1, Cols: 3, Value: row.Value}, 0, 1) },
	} {
		before := m.Support.Evaluations()
		use()
		if cost := m.Support.Evaluations() - before; cost != int64(m.Support.Len()) {
			t.Errorf("use %d: one row took %d values of the kernel, expected %d", i, cost, m.Support.Len())
		}
	}
}
