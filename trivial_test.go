package fenchel

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
)

// TestTrivialClasses compares with figures by hand: learned from weights 3 of a, 1 of b, judged on
// 1 of a, 3 of b, where a is always predicted and has the probability 3/4.
func TestTrivialClasses(t *testing.T) {
	classes := []string{"a", "b"}
	learn := pose.Truth{Class: []int{0, 1, metric.Unknown}, Weight: []float64{3, 1, 100}}
	e := JudgeTrivial(classes, 0, learn, pose.Truth{Class: []int{1, 0, 1, 1}})
	logLoss := -(3*math.Log(0.25) + math.Log(0.75)) / 4
	brier := (3*0.75*0.75 + 0.25*0.25) / 4
	for name, got := range map[string][2]float64{
		"accuracy": {*e.Accuracy, 0.25}, "balanced": {*e.Balanced, 0.5}, "macro F1": {*e.MacroF1, 0.2}, "AUC": {*e.AUC, 0.5}, "AP": {*e.AP, 0.75}, "log loss": {*e.LogLoss, logLoss}, "Brier": {*e.Brier, brier},
	} {
		if math.Abs(got[0]-got[1]) > 1e-15 {
			t.Errorf("%s: found %g, expected %g", name, got[0], got[1])
		}
	}
	if e.Prediction != "always a" {
		t.Errorf("prediction: found %q", e.Prediction)
	}
	weighted := JudgeTrivial(classes, 0, learn, pose.Truth{Class: []int{0, 1}, Weight: []float64{1, 3}})
	if math.Abs(*weighted.LogLoss-logLoss) > 1e-15 || math.Abs(*weighted.Brier-brier) > 1e-15 || *weighted.AP != 0.75 {
		t.Errorf("rows with weights: found %g, %g, %g, expected those of repeated rows", *weighted.LogLoss, *weighted.Brier, *weighted.AP)
	}
	if e = JudgeTrivial(classes, 0, learn, pose.Truth{Class: []int{metric.Unknown, 0}}); *e.Error != 0.5 || e.LogLoss != nil {
		t.Errorf("an unknown class: found the error %g", *e.Error)
	}
}

// TestTrivialNumbers: no constant is better on the rows it is learned from, by the measure it is for.
func TestTrivialNumbers(t *testing.T) {
	y, w := []float64{1, 2, 4, 8, 100}, []float64{2, 4, 2, 2, 0}
	truth := pose.Truth{Number: y, Weight: w}
	for quantile, measure := range map[float64]func(*Evaluation) float64{
		0:   func(e *Evaluation) float64 { return *e.RMSE },
		0.5: func(e *Evaluation) float64 { return *e.MAE },
		0.8: func(e *Evaluation) float64 { return *e.Pinball },
	} {
		best := measure(JudgeTrivial(nil, quantile, truth, truth).Evaluation)
		for c := 0.0; c < 10; c += 0.01 {
			if other := measure(EvaluateNumbers(slices.Repeat([]float64{c}, 5), y, w, quantile)); other < best-1e-12 {
				t.Errorf("quantile %g: %g of %g is below %g", quantile, other, c, best)
			}
		}
	}
	if p := JudgeTrivial(nil, 0.5, truth, truth).Prediction; p != "always the median 2" {
		t.Errorf("prediction: found %q", p)
	}
	same := pose.Truth{Number: slices.Repeat([]float64{0.1}, 3), Weight: []float64{1, 2, 4}}
	if e := JudgeTrivial(nil, 0, same, same); *e.RMSE != 0 {
		t.Errorf("targets that are all 0.1: found the RMSE %g, expected none, of which nothing is warned", *e.RMSE)
	}
}

// TestNotBetterIsWarnedOf: rows of which the features say nothing, and a class that is never found.
func TestNotBetterIsWarnedOf(t *testing.T) {
	for task, want := range map[string][]string{
		"classification": {"error 0.1 is not below 0.1 of the trivial model (always 0)", "no row of the class 1 is recognised"},
		"regression":     {"rmse 0.3 is not below 0.3 of the trivial model (always the mean 0.1)"},
	} {
		text := strings.Repeat("1,0\n1,0\n1,0\n1,0\n1,0\n1,0\n1,0\n1,0\n1,0\n1,1\n", 3)
		set, err := data.ReadFrom(context.Background(), strings.NewReader("x,y\n"+text), "rows.csv", data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Train(context.Background(), set, Spec{Task: task, Gap: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Evaluate(t.Context(), r.Model, set, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range e.Warnings {
			got = append(got, w.Error())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: found %q, expected %q", task, got, want)
		}
	}
}

// TestLearnedErrorsAreCounted: what a machine's facts say of all its rows is what evaluating them says.
func TestLearnedErrorsAreCounted(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=200,d=3,classes=2,spread=1"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []Spec{{Kernel: "rbf:gamma=1"}, {Kernel: "rbf:gamma=1", Nu: 0.5}, {Kernel: "linear", Loss: "logistic"}, {Kernel: "rbf:gamma=1", Weighting: Weighting{ClassWeight: map[string]float64{"+1": 3}}}, {}} {
		r, err := Train(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.EvaluateLearned(set, 1)
		if err != nil {
			t.Fatal(err)
		}
		all, err := Evaluate(t.Context(), r.Model, set, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(*found.Error-*all.Error) > 1e-12 || found.Rows != 200 || *found.Trivial.Error != *all.Trivial.Error || found.AUC != nil {
			t.Errorf("%v: found the error %g, expected %g", spec.Kernel, *found.Error, *all.Error)
		}
	}
}
