package pose

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/data"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// Replace gives a model predictors found elsewhere, for Verify to judge: weights are outputs x
// features, of a kernel machine outputs x rows of the set that it was trained on; biases one for
// each output.
func Replace(m *model.Model, set *data.Set, weights, bias []float64, threads int) error {
	k, d := len(m.Outputs), m.Cols()
	if m.Support != nil {
		d = set.Rows()
	}
	if m.Map != nil || len(weights) != k*d || len(bias) != k {
		return fmt.Errorf("found %d weights and %d biases, expected a model without map, of %d predictors and %d weights each", len(weights), len(bias), k, d)
	}
	if m.Support == nil {
		for c := range m.Outputs {
			m.Outputs[c].Weights, m.Outputs[c].Bias = weights[c*d:(c+1)*d], bias[c]
		}
		return nil
	}
	problems, err := Restate(m, set, threads)
	if err != nil {
		return err
	}
	points := make([]problem.Point, k)
	for c := range points {
		points[c].W = append(slices.Clone(weights[c*d:(c+1)*d]), bias[c])
	}
	problems.Store(m, points)
	return nil
}
