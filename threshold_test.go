package fenchel_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/tune"
)

// overlapping are rows of two classes that no score tells apart.
func overlapping(t *testing.T) *data.Set {
	t.Helper()
	set, err := data.Read(context.Background(), []string{"@blobs:n=240,d=3,classes=2,spread=1"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestCostsChooseTheThreshold: of dear rows fewer are missed, the file keeps the threshold, and
// verify leaves open what it cannot recompute, until the folds are trained again.
func TestCostsChooseTheThreshold(t *testing.T) {
	set := overlapping(t)
	for name, spec := range map[string]fenchel.Spec{
		"hinge": {}, "probabilities": {Decision: fenchel.Decision{Probabilities: true}}, "logistic": {Loss: "logistic"}, "softmax": {Loss: "softmax"},
		"kernel": {Kernel: "rbf:gamma=0.3"}, "nu": {Kernel: "rbf:gamma=0.3", Nu: 0.5},
	} {
		recall := map[float64]float64{}
		for _, cost := range []float64{1, 10} {
			spec.Costs = map[string]float64{"+1": cost}
			r, err := fenchel.Train(context.Background(), set, spec)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var file bytes.Buffer
			if err := r.Model.Write(&file); err != nil {
				t.Fatal(err)
			}
			m, err := model.Decode(file.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			e, err := fenchel.Evaluate(t.Context(), m, set, fenchel.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			recall[cost] = e.Classes[1].Recall
			right, wrong := e.Confusion.Count, 0.0
			wrong = (right[0][1] + cost*right[1][0]) / 240
			if e.Cost == nil || math.Abs(*e.Cost-wrong) > 1e-12 {
				t.Errorf("%s, cost %g: found the mean cost %v, expected %g by the confusion", name, cost, e.Cost, wrong)
			}
			v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1})
			if err != nil || v.Unproved == "" || len(v.Problems) > 0 {
				t.Errorf("%s: verify found %q, %q (%v), expected it to leave the threshold open", name, v.Problems, v.Unproved, err)
			}
			if err := tune.Refit(context.Background(), v, m, set, 1); err != nil || v.Unproved != "" || len(v.Problems) > 0 {
				t.Errorf("%s: after the folds were trained again found %q, %q (%v)", name, v.Problems, v.Unproved, err)
			}
			m.Threshold.Score += 0.5
			v, _ = fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1})
			if err := tune.Refit(context.Background(), v, m, set, 1); err != nil || len(v.Problems) == 0 {
				t.Errorf("%s: a forged threshold is not found (%v)", name, err)
			}
			for format, write := range map[string]error{"liblinear": m.WriteLIBLINEAR(&file), "vw": m.WriteVW(&file), "libsvm": m.WriteLIBSVM(&file)} {
				if write == nil {
					t.Errorf("%s: %s wrote a model with a threshold (%v)", name, format, write)
				}
			}
		}
		if !(recall[10] > recall[1]) {
			t.Errorf("%s: found the recall %g at cost 10, %g at cost 1", name, recall[10], recall[1])
		}
	}
}

// TestGivenThreshold: of a model with probabilities it is one.
func TestGivenThreshold(t *testing.T) {
	set := overlapping(t)
	at := 0.2
	for name, spec := range map[string]fenchel.Spec{"logistic": {Loss: "logistic"}, "softmax": {Loss: "softmax"}, "calibrated": {Decision: fenchel.Decision{Probabilities: true}}} {
		spec.Threshold = &at
		r, err := fenchel.Train(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		flips := 0
		for i := range set.Rows() {
			scores := r.Model.Scores(nil, set.X.Row(i))
			p := r.Model.Probabilities(nil, scores)
			if (r.Model.Decide(scores) == 1) != (p[1] > at) {
				t.Errorf("%s: row %d of the probability %g", name, i, p[1])
			}
			if p[1] > at && p[1] < 0.5 {
				flips++
			}
		}
		if v, err := fenchel.Verify(t.Context(), r.Model, set, fenchel.Options{Threads: 1}); err != nil || name != "calibrated" && v.Unproved != "" || flips == 0 {
			t.Errorf("%s: verify found %q (%v), %d rows between", name, v.Unproved, err, flips)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	at = 1.5
	for name, spec := range map[string]fenchel.Spec{"logistic": {Loss: "logistic"}, "softmax": {Loss: "softmax"}, "calibrated": {Decision: fenchel.Decision{Probabilities: true}}} {
		spec.Threshold = &at
		if _, err := fenchel.Train(ended, set, spec); err == nil || !strings.Contains(err.Error(), "threshold=1.5") {
			t.Errorf("%s: a probability of 1.5, before anything is trained: found %v", name, err)
		}
	}
	var data pose.DataError
	for _, costs := range []map[string]float64{{"x": 1}, {"+1": 0, "-1": 0}, {"+1": 1e200}} {
		if _, err := fenchel.Train(ended, set, fenchel.Spec{Decision: fenchel.Decision{Costs: costs}}); err == nil || errors.As(err, &data) || errors.Is(err, context.Canceled) {
			t.Errorf("costs %v: found %v, expected an error of the spec", costs, err)
		}
	}
	if _, err := fenchel.Train(context.Background(), set, fenchel.Spec{Task: "regression", Decision: fenchel.Decision{Costs: map[string]float64{"1": 1}}}); err == nil {
		t.Error("costs of numbers: found no error")
	}
}
