package fenchel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/crossfit"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// TestThresholdTable: rows of one score are flagged together, and weights count, in shares, precision and recall.
func TestThresholdTable(t *testing.T) {
	for _, c := range []struct {
		own    *model.Threshold
		weight []float64
		want   string
	}{
		{nil, nil, "2.5: 0.250 0.500 1.000 false, 1.5: 0.750 1.000 0.667 false, 0: 1.000 1.000 0.500 true, "},
		{&model.Threshold{Score: 2}, []float64{1, 3, 2, 2}, "2.5: 0.125 0.250 1.000 false, 2: 0.125 0.250 1.000 true, 1.5: 0.750 1.000 0.667 false, "},
	} {
		e, got := &Evaluation{}, ""
		e.threshold(&model.Model{Threshold: c.own}, []float64{3, 2, 2, 1}, []int{1, 1, 0, 0}, c.weight)
		for _, r := range e.Thresholds {
			got += fmt.Sprintf("%g: %.3f %.3f %.3f %t, ", r.Score, r.Flagged, r.Recall, *r.Precision, r.Used)
		}
		if got != c.want {
			t.Errorf("found %q, expected %q", got, c.want)
		}
	}
}

// TestMissedClasses: those that no row has are not missed.
func TestMissedClasses(t *testing.T) {
	e := &Evaluation{Classes: []ClassEvaluation{{Class: "a", Recall: 1, Support: 3}, {Class: "b"}, {Class: "c", Support: 1}, {Class: "d", Support: 2}}}
	if e.warnOfMissed(); len(e.Warnings) != 1 || e.Warnings[0].Error() != "no row of the classes c, d is recognised" {
		t.Errorf("found %q", e.Warnings)
	}
}

// TestThresholdOfWeights: a row of weight 5 costs as five.
func TestThresholdOfWeights(t *testing.T) {
	c := &calibrator{result: &Result{Model: &model.Model{Classes: []string{"a", "b"}}}}
	for k, score := range []float64{2, 2.2, 1, 3} {
		c.rows = append(c.rows, crossfit.Row{Class: k / 2, Weight: []float64{1, 1, 5, 1}[k], Scores: []float64{score}})
	}
	if got := c.threshold(); got.Score != 0 || got.Cost != 0.25 {
		t.Errorf("found the threshold %g at the cost %g, expected 0 at 0.25", got.Score, got.Cost)
	}
}

// TestCheapestOfWeights: the trivial model of least cost knows the weights of rows.
func TestCheapestOfWeights(t *testing.T) {
	truth := pose.Truth{Class: []int{0, 1, 1}, Weight: []float64{8, 1, 1}}
	if got := JudgeTrivial([]string{"a", "b"}, 0, truth, truth, 1, 3); got.Prediction != "always a" || *got.Cost != 0.6 {
		t.Errorf("found %q at the cost %g, expected always a at 0.6", got.Prediction, *got.Cost)
	}
}

// TestCheapestClass is not the most frequent one where the other is dear to miss.
func TestCheapestClass(t *testing.T) {
	truth := pose.Truth{Class: []int{0, 1, 1}, Weight: []float64{8, 1, 1}}
	if got := JudgeTrivial([]string{"a", "b"}, 0, truth, truth, 1, 5); got.Prediction != "always b" || *got.Cost != 0.8 {
		t.Errorf("found %q at the cost %g, expected always b at 0.8", got.Prediction, *got.Cost)
	}
}

// TestScaleOfWeights: a row of weight 3 is three rows.
func TestScaleOfWeights(t *testing.T) {
	y, w := []float64{0, 1, 2.5, 10, 12}, []float64{1, 1, 1, 3, 3}
	var rows []float64
	for i := range y {
		rows = append(rows, slices.Repeat(y[i:i+1], int(w[i]))...)
	}
	scale, mean := scaleOf(y, w)
	if s, m := scaleOf(rows, pose.OrOnes(nil, len(rows))); s != scale || m != mean {
		t.Errorf("found %g and %g, expected %g and %g of repeated rows", scale, mean, s, m)
	}
}
