package main

import (
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/training"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/model"
)

// TestTimesAddUp checks that the parts of the summary's times are those of the total, also
// where classifiers that were trained side by side took longer together.
func TestTimesAddUp(t *testing.T) {
	for _, c := range []struct {
		outputs int
		want    string
	}{
		{1, "read 1.000 s, train 37.000 s, certify 3.000 s, other 4.000 s, total 45.000 s"},
		{10, "read 1.000 s, fit 42.000 s (train 37.000 s, certify 3.000 s, summed over 10 classifiers), other 2.000 s, total 45.000 s"},
	} {
		tr := &training.Trainer{Durations: training.Durations{Read: time.Second, Fitted: 42 * time.Second, Total: 45 * time.Second},
			Result: &fenchel.Result{Train: 37 * time.Second, Certify: 3 * time.Second, Model: &model.Model{Outputs: make([]model.Output, c.outputs)}}}
		if got := tr.Times(); got != c.want {
			t.Errorf("%d outputs: found %q, expected %q", c.outputs, got, c.want)
		}
	}
}

// TestEvaluated: more is computed than requested only where it says what was prefetched.
func TestEvaluated(t *testing.T) {
	for want, c := range map[string]gram.Counts{
		"789 M values computed, cache hits 0 %":                                        {Requested: 789341746, Computed: 789341746},
		"62 k values computed (60 k of them before they were needed), cache hits 96 %": {Requested: 49500, Computed: 61800, Prefetched: 60000},
	} {
		if got := report.Evaluated(c); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}
