package newton

import "github.com/fenchel-ml/fenchel/internal/vec/ramp"

// columnRamps is what elastic-net adds to the interior-point method: lambda r |w_j| is a
// ramp of the weight w_j as those of the losses are of predictions. It rises by 2 at 0, from -1
// on, and counts like a row of weight lambda r N that uses its column alone, so that its
// curvature goes to the diagonal of H. What is left of the penalty is l2. A run with many rows
// begins at the solution of a sample, but with no band of rows, as that knows nothing of columns.
type columnRamps struct {
	ramps
	weight, away, before, move []float64 // of penalised weights, as those of rows; away is w
}

// all returns the ramps of all columns.
func (c *columnRamps) all() *ramp.Rows {
	return c.of(rows{hi: len(c.x), away: c.away, before: c.before, move: c.move, weight: c.weight})
}

// linearise adds to the right side what belongs to the ramps, and sets their curvatures.
func (c *columnRamps) linearise(right []float64, scale float64) {
	clear(c.before)
	c.all().Linearise(c.before, right[:len(c.x)], scale)
}
