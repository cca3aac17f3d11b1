package tune_test

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/tune"
)

// A calibration is what its folds say, trained again: with its signs turned, or with that of
// another model, it is found false.
func TestRefit(t *testing.T) {
	two, three := generated(t, "@blobs:n=150,classes=2,spread=3,seed=3"), generated(t, "@blobs:n=150,classes=3,spread=3,seed=3")
	numbers := generated(t, "@linear:n=100,d=5,seed=3")
	for name, spec := range map[string]fenchel.Spec{"default": {}, "lambda": {Lambda: 0.3}, "C": {C: 20}, "balanced": {Weighting: fenchel.Weighting{Balanced: true}, Scaling: "std"},
		"isotonic": {Decision: fenchel.Decision{Calibrator: "isotonic"}}, "temperature": {Loss: "softmax", Decision: fenchel.Decision{Calibrator: "temperature"}}, "auto": {Decision: fenchel.Decision{Calibrator: "auto"}},
		"intervals": {Decision: fenchel.Decision{Interval: 0.9}}, "sets": {Decision: fenchel.Decision{Interval: 0.9}}, "pairs": {Scheme: "one-against-one"}, "machine": {Kernel: "rbf:gamma=0.03"}, "nu": {Kernel: "rbf:gamma=0.03", Nu: 0.4}, "numbers": {}, "numbers of any size": {Kernel: "rbf:gamma=0.03", Loss: "huber"}} {
		set := three
		switch name {
		case "numbers", "intervals":
			set = numbers
		case "numbers of any size": // whose folds have other scales
			set = generated(t, "@linear:n=17,d=3,seed=2")
		case "machine", "nu":
			set = two
		}
		spec.Probabilities = spec.Interval == 0
		r, err := fenchel.Train(context.Background(), set, spec)
		if err != nil {
			t.Fatal(name, err)
		}
		judge := func() *fenchel.Verification {
			v, err := fenchel.Verify(t.Context(), r.Model, set, fenchel.Options{})
			if err == nil {
				err = tune.Refit(context.Background(), v, r.Model, set, 0)
			}
			if err != nil {
				t.Fatal(name, err)
			}
			return v
		}
		if v := judge(); !v.OK() {
			t.Errorf("%s: found %q, %q", name, v.Problems, v.Unproved)
		}
		if c := r.Model.Coverage; c != nil {
			c.Quantile /= 2
			for k := range c.Bias {
				c.Bias[k] += 1
			}
			r.Model.Calibration = &model.Calibration{}
		}
		r.Model.Calibration.Laplace *= 2
		r.Model.Calibration.Temperature *= 4
		for c := range r.Model.Calibration.Isotonic {
			for k := range r.Model.Calibration.Isotonic[c].Share {
				r.Model.Calibration.Isotonic[c].Share[k] = 0.5
			}
		}
		for c := range r.Model.Calibration.Platt {
			r.Model.Calibration.Platt[c][0] *= -1
		}
		if r.Model.Coverage != nil {
			r.Model.Calibration = nil
		}
		if v := judge(); len(v.Problems) == 0 {
			t.Errorf("%s, forged: found %q", name, v.Unproved)
		}
	}
}
