package main

import (
	"testing"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/model"
)

// The line of the worst classifier says how many converged, stopped earlier and were not begun, unless all converged.
func TestCutShort(t *testing.T) {
	output := func(status string, epochs int) model.Output {
		return model.Output{Certificate: model.Certificate{Status: status, Epochs: epochs}}
	}
	done, begun, not := output("converged", 3), output("interrupted", 2), output("interrupted", 0)
	m := &model.Model{Outputs: []model.Output{done, begun, not, not}}
	if got, want := report.CutShort(m), "; of 4 classifiers 1 converged, 1 stopped earlier, 2 were not begun"; got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
	if got := report.CutShort(&model.Model{Outputs: []model.Output{done, done}}); got != "" {
		t.Errorf("all converged: found %q", got)
	}
}
