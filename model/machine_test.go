package model

import (
	"math"
	"slices"
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

// Gather keeps the rows, whatever their storage.
func TestGather(t *testing.T) {
	dense := &matrix.Dense{Rows: 3, Cols: 2, Value: []float32{1, 2, 0, 3, 5, 0}}
	sparse := &matrix.CSR{Cols: 2, Start: []int64{0, 2, 3, 4}, Index: []uint32{0, 1, 1, 0}, Value: []float32{1, 2, 3, 5}}
	rows := []uint32{2, 0}
	d, s := Gather(dense, rows), Gather(sparse, rows)
	if got := d.(*matrix.Dense).Value; !slices.Equal(got, []float32{5, 0, 1, 2}) {
		t.Errorf("dense: found %v, expected rows 2 and 0", got)
	}
	if got := matrix.Transpose(s).Value; !slices.Equal(got, []float32{5, 1, 2}) {
		t.Errorf("sparse: found the columns %v, expected those of rows 2 and 0", got)
	}
	if n, cols := Gather(sparse, nil).Dims(); n != 0 || cols != 2 {
		t.Errorf("nothing: found %d rows of %d", n, cols)
	}
}
