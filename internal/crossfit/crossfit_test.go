package crossfit

import (
	"maps"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/model"
)

// TestAuto: one temperature is for scores of one unit: it is no choice for pairs of classes, nor for margins of several outputs. The calibrator that is taken
// has the least log loss of rows that it was not fitted to.
func TestAuto(t *testing.T) {
	classes := []string{"a", "b", "c"}
	var rows []Row
	for i := range 60 {
		scores := []float64{-1, -1, -1}
		scores[i%3] = 1 - float64(i%7)/4 // some are wrong
		rows = append(rows, Row{Row: i, Fold: i / 3 % 5, Class: i % 3, Weight: 1, Scores: scores})
	}
	for name, c := range map[string]struct {
		scheme  string
		margins []float64
		want    []string
	}{
		"scores": {"", nil, []string{"isotonic", "sigmoid", "temperature"}}, "pairs": {model.OneAgainstOne, nil, []string{"isotonic", "sigmoid"}}, "margins": {"", []float64{1, 2, 3}, []string{"isotonic", "sigmoid"}},
	} {
		m := &model.Model{Statement: model.Statement{Loss: "hinge", Scheme: c.scheme}, Classes: classes, Outputs: make([]model.Output, 3)}
		made := (&Rows{Model: m, Rows: rows, Counts: 1, Margins: c.margins}).Calibration(calibration.ByAuto)
		if found := slices.Sorted(maps.Keys(made.LogLoss)); !slices.Equal(found, c.want) {
			t.Errorf("%s: found the choices %q, expected %q", name, found, c.want)
		}
		for _, loss := range made.LogLoss {
			if best := made.LogLoss[made.Calibrator()]; best > loss {
				t.Errorf("%s: found the calibrator %s of the log loss %g, expected one of %v", name, made.Calibrator(), best, made.LogLoss)
			}
		}
	}
}
