package attack

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/model"
)

// scores compares what a model predicts for the rows of the data with what the
// stored predictor is.
func (c *court) scores(solver string, m *model.Model, p *Problem) (found []Finding) {
	x, err := m.Prepare(p.Set.X)
	if err != nil {
		return []Finding{{"predict", solver, err.Error()}}
	}
	k := len(m.Outputs)
	dst := make([]float64, k*c.rows)
	m.ScoreRows(dst, x, 0, c.rows)
	for _, s := range dst {
		if !exact.IsFinite(s) {
			return []Finding{{"score-not-finite", solver, fmt.Sprintf("found the score %g of a row of the data", s)}}
		}
	}
	g := c.geometry(false)
	if c.apart != nil {
		g = c.apart
	}
	for output, o := range m.Outputs {
		w, err := c.predictor(m, output)
		if err != nil {
			return []Finding{{"predict", solver, err.Error()}}
		}
		f, off := g.Predict(exact.EveryRow(c.rows), w)
		for i, expected := range f {
			expected = exact.Add(expected, exact.Num(o.Bias))
			slop := 0x1p-1000 + 10*off[i] + 1e-9*(math.Abs(o.Bias)+math.Abs(exact.Float(expected)))
			if d := math.Abs(exact.Float(exact.Sub(exact.Num(dst[i*k+output]), expected))); d > slop && exact.IsFinite(slop) {
				return []Finding{{"score", solver, fmt.Sprintf("output %d, row %d: found the score %.17g, the stored predictor has %s", output+1, i+1, dst[i*k+output], exact.Describe(expected))}}
			}
		}
	}
	return nil
}
