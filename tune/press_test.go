package tune_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/tune"
)

// The closed form is what n fits without one row each say.
func TestLeaveOneOutIsThatOfRefits(t *testing.T) {
	for _, c := range []struct{ data, kernel, bias, weights string }{
		{"@linear:n=25,d=4,seed=2", "", "free", ""},
		{"@linear:n=25,d=4,seed=2", "", "none", ""},
		{"@linear:n=25,d=4,seed=2", "", "feature", ""},
		{"@linear:n=12,d=30,seed=2", "", "free", ""},
		{"@linear:n=12,d=30,seed=2", "", "feature", ""},
		{"@linear:n=25,d=4,seed=2", "rbf:gamma=0.3", "free", ""},
		{"@linear:n=25,d=4,seed=2", "rbf:gamma=0.3", "feature", ""},
		{"@linear:n=25,d=4,seed=2", "poly:degree=2,gamma=1", "none", ""},
		{"@linear:n=25,d=4,seed=2", "", "free", "weighed"},
		{"@linear:n=25,d=4,seed=2", "", "none", "weighed"},
		{"@linear:n=25,d=4,seed=2", "", "feature", "weighed"},
		{"@linear:n=12,d=30,seed=2", "", "free", "weighed"},
		{"@linear:n=12,d=30,seed=2", "", "feature", "weighed"},
		{"@linear:n=25,d=4,seed=2", "rbf:gamma=0.3", "free", "weighed"},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			set, err := data.Read(t.Context(), []string{c.data}, data.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := set.Rows()
			for i := range set.Target.Number { // not centred
				set.Target.Number[i] += 3
				if c.weights != "" {
					set.Weight = append(set.Weight, 0.5+float64(i%4))
				}
			}
			spec := fenchel.Spec{Task: "regression", Loss: "squared", Kernel: c.kernel, Bias: c.bias, Gap: 1e-12}
			stage, err := fenchel.NewStage(context.Background(), set, spec)
			if err != nil {
				t.Fatal(err)
			}
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			part, err := stage.Part(all, nil, fenchel.Resources{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			values := []float64{0.01, 3}
			found, err := tune.PredictLeftOut(context.Background(), part.Pose, spec, values)
			if err != nil {
				t.Fatal(err)
			}
			for k, value := range values {
				spec.C = value
				for i := 0; i < n; i += 5 {
					without, _ := set.Subset(append(append([]int{}, all[:i]...), all[i+1:]...))
					r, err := fenchel.Train(context.Background(), without, spec)
					if err != nil {
						t.Fatal(err)
					}
					expected := model.Scores(r.Model, set.X, 1)[i][0]
					if math.Abs(found[k][i]-expected) > 1e-4*max(1, math.Abs(expected)) {
						t.Errorf("C=%g, row %d: %v, expected %v", spec.C, i, found[k][i], expected)
					}
				}
			}
		})
	}
}
