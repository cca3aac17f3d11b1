package fenchel

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/model"
)

// A run of several classes that ends when the first has its answer writes a model that
// reads, and that proves what it says: solvers have no dual variables of the classes
// that they did not begin.
func TestInterruptedClassesAreReadable(t *testing.T) {
	set := rings(t, 60, 3, false)
	for _, spec := range []Spec{
		{Solver: "sbp"}, {Solver: "sbp", Slack: 0.1}, {Solver: "sgd", Radius: 2, Bias: "none"},
		{Solver: "pegasos", Bias: "none"}, {Solver: "smo"}, {Solver: "sdca", Bias: "none"}, {Solver: "working"}, {Solver: "decomposition"},
		{Solver: "cholesky", Loss: "squared"}, {Solver: "nu", Nu: 0.05}, {Solver: "perceptron", Bias: "none"}, {Solver: "ramp", Bias: "none"},
		{Solver: "rbp", Bias: "none"}, {Solver: "forgetron", Bias: "none"}, {Solver: "sbp", Scheme: model.OneAgainstOne},
		{Solver: "sbp", Kernel: "sigmoid:gamma=1,coef0=1"}, // nothing is proved
	} {
		if spec.Kernel == "" {
			spec.Kernel = "rbf:gamma=1"
		}
		spec.Gap = 0.05
		ctx, cancel := context.WithCancel(t.Context())
		spec.Progress = func(p Progress) {
			if p.Class > 0 {
				cancel()
			}
		}
		r, err := Train(ctx, set, spec)
		cancel()
		if err != nil {
			t.Errorf("%+v: %v", spec, err)
			continue
		}
		m, err := model.Decode(encoded(t, r.Model))
		if err != nil {
			t.Errorf("%s of %s: %v", spec.Solver, spec.Kernel, err)
			continue
		}
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
			t.Errorf("%s of %s: verification %+v, %v", spec.Solver, spec.Kernel, v, err)
		}
	}
}
