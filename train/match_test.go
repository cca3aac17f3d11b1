package train_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/train"
)

// CheckTest says before the training what Evaluate would say after it.
func TestCheckTestForeseesEvaluate(t *testing.T) {
	many := make([]float64, dataset.MaxLabels+1)
	for i := range many {
		many[i] = float64(i)
	}
	targets := map[string]dataset.Target{
		"none": {}, "names": dataset.Labels([]string{"b", "a", "c", "b"}), "other names": dataset.Labels([]string{"x", "y", "y", "x"}),
		"one name": dataset.Labels([]string{"a", "a", "a", "a"}), "signs": dataset.Labels([]string{"10", "+1", "9", "10"}),
		"numbers": dataset.Numbers([]float64{1, 2, 3, 1}), "fractions": dataset.Numbers([]float64{0.5, 1, 2, 4}),
	}
	refused := 0
	others := maps.Clone(targets)
	others["more than classes can be"] = dataset.Numbers(many)
	for known, target := range targets {
		for found, other := range others {
			for _, task := range []string{"", "classification", "regression"} {
				set, test := rowsFor(target), rowsFor(other)
				spec := train.Spec{Task: task, Epochs: 1}
				foreseen, want := fmt.Sprint(spec.CheckTest(set, test)), fmt.Sprint(nil)
				result, err := train.Fit(context.Background(), set, spec)
				if err != nil {
					continue // Fit says what is wrong, whatever CheckTest says
				}
				if _, err := train.Evaluate(result.Model, test, 1); err != nil {
					want = "test data: " + err.Error()
					refused++
				}
				if foreseen != want {
					t.Errorf("%s, then %s, task %q: found %q, expected %q", known, found, task, foreseen, want)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("found no test data refused, expected some: the test proves nothing")
	}
}

// rowsFor returns as many rows as there are targets, or four.
func rowsFor(target dataset.Target) *dataset.Set {
	n := 4
	if !target.Absent() {
		n = max(len(target.Code), len(target.Number))
	}
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = []float32{float32(i % 7)}
	}
	set, err := dataset.FromDense(rows, target)
	if err != nil {
		panic(err)
	}
	return set
}
