package fenchel_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// generated makes a set of a generator.
func generated(t testing.TB, spec string) *data.Set {
	t.Helper()
	set, err := data.Read(context.Background(), []string{spec}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// thirds returns the rows that are not judged on in fold k of three, and those that are.
func thirds(n, k int) (learn, judge []int) {
	for i := range n {
		if i%3 == k {
			judge = append(judge, i)
		} else {
			learn = append(learn, i)
		}
	}
	return learn, judge
}

// A fit of a part is what Train makes of these rows alone: both prove the gap, predict the
// same, and a warm start from another C or part changes neither; nor do the threads.
func TestStageFitsWhatFitDoes(t *testing.T) {
	for _, c := range []struct{ data, loss, kernel, scheme, scaling string }{
		{"@blobs:n=300,classes=2,spread=2,seed=3", "hinge", "rbf:gamma=0.5", "", ""},
		{"@blobs:n=300,classes=3,spread=2,seed=3", "hinge", "rbf:gamma=0.5", "one-against-one", ""},
		{"@blobs:n=300,classes=3,spread=2,seed=3", "logistic", "rbf:gamma=0.5", "", "std"},
		{"@blobs:n=300,classes=3,spread=2,seed=3", "logistic", "", "", "std"},
		{"@blobs:n=300,classes=3,spread=2,seed=3", "hinge", "", "one-against-one", ""},
		{"@blobs:n=150,classes=3,spread=2,seed=3", "softmax", "rbf:gamma=0.5", "", ""},
		{"@blobs:n=150,classes=3,spread=2,seed=3", "crammer-singer", "rbf:gamma=0.5", "", "std"},
		{"@blobs:n=150,classes=3,spread=2,seed=3", "softmax", "", "", "std"},
		{"@linear:n=300,d=10,seed=3", "squared", "", "", ""},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			set := generated(t, c.data)
			spec := fenchel.Spec{Loss: c.loss, Kernel: c.kernel, Scheme: c.scheme, Scaling: c.scaling, Gap: 1e-7}
			stage, err := fenchel.NewStage(context.Background(), set, spec)
			if err != nil {
				t.Fatal(err)
			}
			if shares := c.kernel != "" && c.scaling == ""; stage.Shares() != shares {
				t.Errorf("shares the kernel: %v, expected %v", stage.Shares(), shares)
			}
			var results [2][]*fenchel.Fitted
			for run := range results {
				var last *fenchel.Fitted
				for k := range 3 {
					learn, judge := thirds(set.Rows(), k)
					part, err := stage.Part(learn, judge, fenchel.Resources{Threads: run + 1, Fits: 3})
					if err != nil {
						t.Fatal(err)
					}
					for _, spec.C = range []float64{0.1, 10} {
						fitted, err := part.Fit(context.Background(), spec, last)
						if err != nil {
							t.Fatal(err)
						}
						if last != nil && !fitted.Warmed {
							t.Error("a solution with the same shape was not begun with")
						}
						last = fitted
						results[run] = append(results[run], fitted)
						if run == 0 {
							compareWithFit(t, set, learn, judge, spec, fitted)
						}
					}
				}
			}
			for i, f := range results[0] {
				for o, output := range f.Model.Outputs {
					if other := results[1][i].Model.Outputs[o]; !reflect.DeepEqual(output, other) {
						t.Fatalf("fit %d, output %d: another solution on two threads", i, o)
					}
				}
			}
		})
	}
}

func compareWithFit(t *testing.T, set *data.Set, learn, judge []int, spec fenchel.Spec, fitted *fenchel.Fitted) {
	t.Helper()
	own, err := set.Subset(learn)
	if err != nil {
		t.Fatal(err)
	}
	held, err := set.Subset(judge)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := fenchel.Train(context.Background(), own, spec)
	if err != nil {
		t.Fatal(err)
	}
	a, b := fitted.Summary, alone.Summary
	if a.Gap > spec.Gap || a.Dual > b.Primal || b.Dual > a.Primal {
		t.Errorf("C=%g: bounds %v to %v (%s), those of the same rows alone %v to %v", spec.C, a.Dual, a.Primal, fitted.Status, b.Dual, b.Primal)
	}
	found, err := fitted.Evaluate()
	if err != nil {
		t.Fatal(err)
	}
	expected, err := fenchel.Evaluate(t.Context(), alone.Model, held, fenchel.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if near := func(x, y *float64, within float64) bool {
		return (x == nil) == (y == nil) && (x == nil || *x-*y <= within && *y-*x <= within)
	}; !near(found.Accuracy, expected.Accuracy, 0.02) || !near(found.RMSE, expected.RMSE, 1e-2) || !near(found.LogLoss, expected.LogLoss, 1e-2) {
		t.Errorf("C=%g: evaluated %+v, expected %+v", spec.C, *found, *expected)
	}
}
