package attack

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// regions compares what models of one problem, by several solvers and to several gaps, prove of the predictions of its exact
// optima: each score of an optimum is in all of the intervals, so that any two of them overlap.
func (t *trial) regions() {
	type known struct {
		of     sealed
		proved *model.Proved
		rows   matrix.Matrix
	}
	var all []known
	for _, s := range t.models {
		p, err := s.model.Proved()
		x, unprepared := s.model.Prepare(t.problem.Set.X)
		if err == nil && unprepared == nil {
			all = append(all, known{s, p, x})
		}
	}
	if len(all) < 2 {
		return
	}
	n := t.problem.Set.Rows()
	for range min(n, 8) {
		row := t.draw.IntN(n)
		var first []model.Interval
		for k, a := range all {
			t.tally.Intervals++
			bounds := a.proved.Bounds(nil, a.rows.Row(row), a.of.model.Scores(nil, a.rows.Row(row)))
			if k == 0 {
				first = bounds
				continue
			}
			for c, b := range bounds {
				if math.IsNaN(b.Low) || math.IsNaN(b.High) || b.Low > first[c].High || b.High < first[c].Low {
					t.fail("region", a.of.solver, "row %d, output %d: scores of optima from %g to %g, by %s from %g to %g", row, c, b.Low, b.High, all[0].of.solver, first[c].Low, first[c].High)
				}
				first[c] = model.Interval{Low: max(first[c].Low, b.Low), High: min(first[c].High, b.High)}
			}
		}
	}
}
