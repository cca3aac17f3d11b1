package train_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/train"
)

// TestLinearRadius: linear models with a bound on the norm are trained, stored and verified, with each
// norm, bias and a solver of each family; weights that are too long are found.
func TestLinearRadius(t *testing.T) {
	set := read(t, "@toy:n=300,d=10")
	for _, penalty := range []string{"l1", "l2"} {
		for _, bias := range []string{"free", "none", "feature"} {
			for _, solver := range []string{"auto", "admm", "frank-wolfe", "accelerated", "projected-sgd"} {
				if penalty == "l1" && solver == "projected-sgd" {
					continue
				}
				spec := train.Spec{Loss: "logistic", Penalty: penalty, Radius: 1.5, Bias: bias, Solver: solver, Gap: 2e-2, Epochs: 20000}
				m, _ := fit(t, set, spec)
				v := agrees(t, m, set)
				size, o := 0.0, m.Outputs[0]
				weights := o.Weights
				if bias == "feature" {
					weights = append(weights[:len(weights):len(weights)], o.Bias)
				}
				for _, w := range weights {
					if penalty == "l1" {
						size += math.Abs(w)
					} else {
						size += w * w
					}
				}
				if penalty == "l2" {
					size = math.Sqrt(size)
				}
				if end := o.Certificate.Status; v.Unproved != "" || end != "converged" || size > 1.5 {
					t.Errorf("%s, bias %s, %s: norm %g, %s, unproved: %q", penalty, bias, solver, size, end, v.Unproved)
				}
				for j := range o.Weights {
					m.Outputs[0].Weights[j] = 3 * o.Weights[j]
				}
				again, err := train.Verify(m, set, 1)
				if err != nil || !strings.Contains(strings.Join(again.Problems, "\n"), "the model has weights of a norm that is larger than the problem allows") {
					t.Errorf("%s, bias %s, %s: long weights are not found: %v, %v", penalty, bias, solver, again, err)
				}
			}
		}
	}
}
