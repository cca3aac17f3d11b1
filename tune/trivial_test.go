package tune

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// TestTrivialLearnsOtherRows: on each fold the constant is that of the rows learned from. Targets
// 0, 0, 9, 9 in order of time: the first fold learns 0 and is judged on 9.
func TestTrivialLearnsOtherRows(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@linear:n=40,d=2"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, 40)
	given := []Fold{{Learn: []int{0, 1, 2, 3}, Judge: []int{4, 5}}, {Learn: []int{4, 5, 6, 7}, Judge: []int{0, 1, 2}}}
	for i := range y {
		y[i] = float64(i)
	}
	set.Target = data.Target{Number: y}
	for score, want := range map[string]float64{
		"rmse": (math.Sqrt((2.5*2.5+3.5*3.5)/2) + math.Sqrt((5.5*5.5+4.5*4.5+3.5*3.5)/3)) / 2, // means 1.5 and 5.5
		"mae":  (3.5 + 4) / 2,                                                                 // medians 1 and 5
	} {
		r, err := Run(context.Background(), set, Spec{Train: fenchel.Spec{Task: "regression"}, Axes: []Axis{}, Given: given, Score: score})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Trivial.Mean-want) > 1e-12 {
			t.Errorf("%s: found %g, expected %g", score, r.Trivial.Mean, want)
		}
	}
}

// TestHoldout: a share of each class is judged on, of the rows that are not learned from.
func TestHoldout(t *testing.T) {
	target := data.Target{Label: []string{"a", "b", "c"}, Number: make([]float64, 111)}
	for i := range 111 {
		target.Code = append(target.Code, uint32(min(i/10, 1)))
	}
	target.Code[110] = 2
	set, err := data.Read(context.Background(), []string{"@linear:n=111,d=2"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set.Target = target
	folds, err := Holdout(set, "classification", 0.2, 1)
	if err != nil {
		t.Fatal(err)
	}
	count := make([]int, 3)
	for _, i := range folds[0].Judge {
		count[target.Code[i]]++
	}
	if !slices.Equal(count, []int{2, 20, 0}) { // the only row of c is learned from
		t.Errorf("judged on %v", count)
	}
	all := slices.Concat(folds[0].Judge, folds[0].Learn)
	if slices.Sort(all); len(slices.Compact(all)) != 111 {
		t.Errorf("found %d rows, expected each once", len(all))
	}
	if other, _ := Holdout(set, "classification", 0.2, 2); slices.Equal(other[0].Judge, folds[0].Judge) {
		t.Error("another seed: found the same rows")
	}
	most, err := Holdout(set, "classification", 0.9, 1)
	if err != nil || !slices.Contains(most[0].Learn, 110) {
		t.Errorf("a share of 0.9: the only row of c is judged on, and none learned from (%v)", err)
	}
	if _, err := Holdout(set, "classification", 0.001, 1); err == nil {
		t.Error("no row to be judged on: found no error")
	}
}

// TestBeaten: as good is no better.
func TestBeaten(t *testing.T) {
	r := &Result{Score: scores[0]} // accuracy
	r.Trivial.Mean = 0.75
	for mean, want := range map[float64]bool{0.75: false, 0.7: false, 0.8: true, math.NaN(): true} {
		if r.Beaten(&Trial{Mean: mean}) != want {
			t.Errorf("%g: found %t", mean, !want)
		}
	}
}
