package fenchel_test

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The objective is compared with the precision of its own: where a column is so large
// that hardly a bound is left, -1e50, that of the bound lets every objective pass.
func TestVerifyObjectiveBesidePoorBound(t *testing.T) {
	x := &matrix.Dense{Rows: 6, Cols: 2, Value: []float32{1e28, 1, -3e28, 2, 2e28, -1, -1e28, 0.5, 1e27, -2, 4e28, 1}}
	set := &data.Set{X: x, Target: data.Target{Label: []string{"a", "b"}, Code: []uint32{0, 1, 0, 1, 0, 1}}}
	result, err := fenchel.Train(context.Background(), set, fenchel.Spec{Loss: "hinge", Bias: "feature", Lambda: 0.0025, Scaling: "none", Solver: "sgd", Run: fenchel.Run{Epochs: 100}})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Model
	if c := m.Outputs[0].Certificate; !(float64(c.Dual) < -1e20) {
		t.Fatalf("found the bound %g, expected one far below the objective %g", float64(c.Dual), float64(c.Primal))
	}
	if v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
		t.Fatalf("found %v, %v, expected that the model is as it claims", v.Problems, err)
	}
	m.Outputs[0].Weights[0] += 1 // scores of 1e28
	if v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1}); err != nil || len(v.Problems) == 0 {
		t.Errorf("found no false claim, %v, expected another objective than %g", err, float64(m.Outputs[0].Certificate.Primal))
	}
}
