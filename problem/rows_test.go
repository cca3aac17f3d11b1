package problem

import (
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

func TestMeanSquaredNorm(t *testing.T) {
	r := NewRows(&matrix.Dense{Rows: 3, Cols: 2, Value: []float32{1, 2, 0, 0, 3, 4}}, 2)
	if got := r.MeanSquaredNorm(); got != 10 {
		t.Errorf("mean squared norm %v, want 10", got)
	}
	clear(r.SquaredNorm) // to see that they are summed once
	if got := r.MeanSquaredNorm(); got != 10 {
		t.Errorf("mean squared norm %v the second time", got)
	}
}
