package model

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Weights in original units score a row as it is as the model does.
func TestOriginal(t *testing.T) {
	for _, name := range []string{"scaled table", "binary", "multi"} {
		m := examples(t)[name]
		row := matrix.Vector{Value: []float32{2, -1, 3}}
		for c, want := range m.Scores(nil, row) {
			weights, bias := m.Original(c)
			if got := row.Dot(weights) + bias; math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s: output %d scores %g, expected %g", name, c+1, got, want)
			}
		}
	}
}
