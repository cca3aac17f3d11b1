package newton

import "github.com/fenchel-ml/fenchel/internal/vec"

// columnRamps is what elastic-net adds to the interior-point method: lambda r |w_j| is a
// ramp of the weight w_j as those of the losses are of predictions. It rises by 2 at 0, from -1
// on, and counts like a row of weight lambda r N that uses its column alone, so that its
// curvature goes to the diagonal of H. What is left of the penalty is l2. A run with many rows
// begins at the solution of a sample, but with no band of rows, as that knows nothing of columns.
type columnRamps struct {
	ramps
	weight, away, before, move []float64 // of penalised weights, as those of rows; away is w
}

// addColumns adds the corner of the penalty, on the central path.
func (s *interior) addColumns(weight float64) {
	if weight == 0 {
		return
	}
	k := s.p.Penalised()
	c := &columnRamps{ramps: ramps{jump: 2, x: make([]float64, k), r: make([]float64, k), u: make([]float64, k)},
		weight: make([]float64, k), away: s.w[:k], before: make([]float64, k), move: make([]float64, k)}
	for j := range c.weight {
		c.weight[j] = weight * s.p.N
		s.fixed[j] -= weight
	}
	c.all().Central(s.mean)
	s.columns = c
	s.tally()
	s.look()
}

// all returns the ramps of all columns.
func (c *columnRamps) all() *vec.Ramp {
	return c.of(rows{hi: len(c.x), away: c.away, before: c.before, move: c.move, weight: c.weight})
}

// linearise adds to the right side what belongs to the ramps, and sets their curvatures.
func (c *columnRamps) linearise(right []float64, scale float64) {
	clear(c.before)
	c.all().Linearise(c.before, right[:len(c.x)], scale)
}

// predict makes the predictor's step.
func (c *columnRamps) predict(d []float64) vec.Predicted {
	copy(c.before, d)
	return c.all().Predict(singlePart)
}

// measure makes the corrector's step.
func (c *columnRamps) measure(d []float64, target float64) vec.Corrected {
	copy(c.move, d)
	return c.all().Measure(target, singlePart, &shares)
}
