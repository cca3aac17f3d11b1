package tune_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/tune"
)

// dear are rows of two classes of which one is dear to miss.
func dear(t *testing.T) (*data.Set, fenchel.Spec) {
	t.Helper()
	set, err := data.Read(context.Background(), []string{"@blobs:n=240,d=3,classes=2,spread=1"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set, fenchel.Spec{Loss: "logistic", C: 1, Decision: fenchel.Decision{Costs: map[string]float64{"+1": 10}}}
}

// TestCostIsOfThresholdsOfOthers: the score of a fold is what its rows cost by the threshold that
// the rows of the others choose, computed here by models trained one by one.
func TestCostIsOfThresholdsOfOthers(t *testing.T) {
	set, spec := dear(t)
	for name, folds := range map[string]int{"folds": 3, "holdout": 1} {
		s := tune.Spec{Train: spec, Axes: []tune.Axis{}, Folds: tune.Folds{K: 3}}
		dealt, err := s.Folds.Deal(set, set.Target.Code, set.Target.Label)
		if err != nil {
			t.Fatal(err)
		}
		if s.Given = dealt[:folds]; folds == 3 {
			s.Given = dealt
		}
		r, err := tune.Run(context.Background(), set, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		rows := make([][]calibration.Margin, folds)
		for f, fold := range s.Given {
			learn, judge, _, _ := set.Apart(fold.Learn, fold.Judge)
			plain := spec
			plain.Costs = nil
			fitted, err := fenchel.Train(context.Background(), learn, plain)
			if err != nil {
				t.Fatal(err)
			}
			for i := range judge.Rows() {
				second := judge.Target.Label[judge.Target.Code[i]] == fitted.Model.Classes[1]
				rows[f] = append(rows[f], calibration.Margin{Score: fitted.Model.Score(judge.X.Row(i)), Weight: 1, Second: second})
			}
		}
		parts := rows
		if folds == 1 {
			parts = make([][]calibration.Margin, 2)
			for i, row := range rows[0] {
				parts[i%2] = append(parts[i%2], row)
			}
		}
		want, n := 0.0, 0.0
		for k := range parts {
			var others []calibration.Margin
			for l := range parts {
				if l != k {
					others = append(others, parts[l]...)
				}
			}
			at, _ := calibration.Threshold(others, [2]float64{1, 10})
			for _, row := range parts[k] {
				n++
				if above := row.Score > at; above && !row.Second {
					want++
				} else if !above && row.Second {
					want += 10
				}
			}
		}
		got := r.Candidates[0]
		if r.Score.Name != "cost" || math.Abs(got.Mean-want/n) > 0.005 {
			t.Errorf("%s: found %s %g, expected cost %g", name, r.Score.Name, got.Mean, want/n)
		}
		if r.Trivial.Prediction != "always +1" || math.Abs(r.Trivial.Mean-0.475) > 0.001 {
			t.Errorf("%s: the trivial model is %s of %g, expected always +1 of 0.475", name, r.Trivial.Prediction, r.Trivial.Mean)
		}
	}
}

// TestTuneMinimisesTheCost: halving and rows that are given are judged by it too, nu in its unit.
func TestTuneMinimisesTheCost(t *testing.T) {
	set, spec := dear(t)
	spec.C = 0
	for name, s := range map[string]tune.Spec{
		"folds": {Train: spec}, "halving": {Train: spec, Halving: 2}, "held": {Train: spec, Held: set},
		"nu": {Train: fenchel.Spec{Kernel: "rbf:gamma=0.3", Nu: 0.3, Decision: fenchel.Decision{Costs: spec.Costs}}},
	} {
		s.Axes = []tune.Axis{{Key: "C", Values: []string{"0.001", "0.1", "1"}}}
		if name == "nu" {
			s.Axes = []tune.Axis{{Key: "nu", Values: []string{"0.1", "0.3"}}}
		}
		r, err := tune.Run(context.Background(), set, s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range r.Candidates {
			if c.Complete() && !(r.Candidates[r.Best].Mean <= c.Mean) || !(r.Candidates[r.Best].Mean < 0.5) {
				t.Errorf("%s: the best costs %g, another %g", name, r.Candidates[r.Best].Mean, c.Mean)
			}
		}
	}
}

// TestThresholdOfFolds: models of folds decide by the threshold that is stated, where it means the same for all.
func TestThresholdOfFolds(t *testing.T) {
	set, spec := dear(t)
	spec.Costs = nil
	scores := map[float64]float64{}
	for _, at := range []float64{0.5, 0.999} {
		spec.Threshold = &at
		r, err := tune.Run(context.Background(), set, tune.Spec{Train: spec, Axes: []tune.Axis{}})
		if err != nil {
			t.Fatal(err)
		}
		scores[at] = r.Candidates[0].Mean
	}
	if !(scores[0.999] < scores[0.5]-0.05) {
		t.Errorf("found the accuracies %v, expected that of 0.999 below", scores)
	}
	for want, s := range map[string]tune.Spec{
		"losses of one kind": {Train: spec, Axes: []tune.Axis{{Key: "loss", Values: []string{"hinge", "logistic"}}}},
		"no costs":           {Train: fenchel.Spec{}, Score: "cost"},
		"expected two":       {Train: fenchel.Spec{Decision: fenchel.Decision{Costs: map[string]float64{"+1": 3}}}, Held: nil},
	} {
		rows := set
		if want == "expected two" {
			rows, _ = data.Read(context.Background(), []string{"@blobs:n=60,d=3,classes=3"}, data.Options{})
		}
		if _, err := tune.Run(context.Background(), rows, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}
