package fenchel_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// CheckTest says before the training what Evaluate would say after it.
func TestCheckTestForeseesEvaluate(t *testing.T) {
	many := make([]float64, set.MaxLabels+1)
	for i := range many {
		many[i] = float64(i)
	}
	targets := map[string]data.Target{
		"none": {}, "names": data.Labels([]string{"b", "a", "c", "b"}), "other names": data.Labels([]string{"x", "y", "y", "x"}),
		"one name": data.Labels([]string{"a", "a", "a", "a"}), "signs": data.Labels([]string{"10", "+1", "9", "10"}),
		"numbers": data.Numbers([]float64{1, 2, 3, 1}), "fractions": data.Numbers([]float64{0.5, 1, 2, 4}),
	}
	refused := 0
	others := maps.Clone(targets)
	others["more than classes can be"] = data.Numbers(many)
	for known, target := range targets {
		for found, other := range others {
			for _, task := range []string{"", "classification", "regression"} {
				set, test := rowsFor(target), rowsFor(other)
				spec := fenchel.Spec{Task: task, Run: fenchel.Run{Epochs: 1}}
				foreseen, want := fmt.Sprint(spec.CheckTest(set, test)), fmt.Sprint(nil)
				result, err := fenchel.Train(context.Background(), set, spec)
				if err != nil {
					continue // Train says what is wrong, whatever CheckTest says
				}
				if _, err := fenchel.Evaluate(t.Context(), result.Model, test, fenchel.Options{Threads: 1}); err != nil {
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
func rowsFor(target data.Target) *data.Set {
	n := 4
	if !target.Absent() {
		n = max(len(target.Code), len(target.Number))
	}
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = []float32{float32(i % 7)}
	}
	set, err := data.FromDense(rows, target)
	if err != nil {
		panic(err)
	}
	return set
}
