package train

import (
	"fmt"
	"testing"

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
