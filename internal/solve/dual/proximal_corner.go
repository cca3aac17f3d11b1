package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/problem"
)

// penaltyCorner is what elastic-net adds to proximal. Its corner is treated as those of the
// losses are: |w_j| is the maximum of z w_j over z in [-1, 1], so that z_j is a dual variable
// of its own, with a centre and a width; what is left of the penalty is l2.
//
//	F        gets lambda r sum_j max over z of (z w_j - (t/2)(z - c_j)^2)
//	Width    t = 10 r q/mean |x|^2 at first: a narrow one keeps few columns on their ramps,
//	         but cuts steps of Newton's method short
//	H        gets lambda r/t on the diagonal, where z_j is no end
//	Gap      gets lambda r sum_j (|w_j| - z_j w_j) among the defects
//	Weights  where z_j is no end are zero but for the width: they are returned as
//	         zeros unless that more than doubles the gap; then t becomes less with q. At the
//	         end so are as many as the gap that is asked for has room for
//
// Rejected: Newton's method in the weights that are not zero alone: so many pass through
// zero in a step that it need not be one of descent; t in proportion to lambda or to the
// largest weight; less t after centres of many steps.
type penaltyCorner struct {
	whole     *problem.Linear // corner and all
	weight    float64         // lambda r
	width     float64         // t/q
	loose     bool            // zeros would more than double the gap
	z, centre []float64       // penalised weights
	single    []float64       // d+1: on the diagonal of H
	gathered  []float64       // the same of some columns
	zeroed    []float64       // d+1: w, with zeros
}

const (
	proximalColumns = 10  // t at first, in r q/mean |x|^2
	proximalNarrow  = 0.5 // t/q after t/q, where the gap has no room for zeros
)

// newPenaltyCorner returns p without the corner, and the corner; or p and nil. u is SDCA's.
func newPenaltyCorner(p *problem.Linear, u []float64) (rest *problem.Linear, c *penaltyCorner) {
	rest, weight := parts.WithoutCorner(p)
	if weight == 0 {
		return p, nil
	}
	r, k := weight/p.Lambda, p.Penalised()
	c = &penaltyCorner{whole: p, weight: weight, width: proximalColumns * r / p.MeanSquaredNorm(),
		z: make([]float64, k), centre: make([]float64, k),
		single: make([]float64, len(u)), gathered: make([]float64, len(u)), zeroed: make([]float64, len(u))}
	for j := range c.centre {
		c.centre[j] = min(max(u[j]/r, -1), 1)
	}
	return rest, c
}

// at returns z of column j at the weight w.
func (c *penaltyCorner) at(j int, w, q float64) float64 {
	return min(max(c.centre[j]+w/float64(q*c.width), -1), 1)
}

// look sets what depends on w, and adds to the gradient g.
func (c *penaltyCorner) look(g, w []float64, q float64) (value, defects float64) {
	copy(c.zeroed, w)
	for j := range c.z {
		z := c.at(j, w[j], q)
		c.z[j], c.single[j] = z, 0
		if z > -1 && z < 1 {
			c.single[j] = c.weight / (q * c.width)
			c.zeroed[j] = 0
		}
		g[j] += float64(c.weight * z)
		value += math.Abs(w[j])
		defects += math.Abs(w[j]) - float64(z*w[j])
	}
	return float64(c.weight * value), float64(c.weight * defects)
}

// slope returns the derivative of its part of F, t along the step d from w.
func (c *penaltyCorner) slope(w, d []float64, t, q float64) (sum float64) {
	for j := range c.z {
		sum += float64(d[j] * c.at(j, w[j]+float64(t*d[j]), q))
	}
	return float64(c.weight * sum)
}

// recentre goes on from the z that were reached, in few steps or not.
func (c *penaltyCorner) recentre(few bool) {
	copy(c.centre, c.z)
	if c.loose && few {
		c.width *= proximalNarrow
	}
}

// gather returns its part of the diagonal of H, of some columns and the constant one.
func (c *penaltyCorner) gather(column []uint32) []float64 {
	k := len(column)
	for i, j := range column {
		c.gathered[i] = c.single[j]
	}
	c.gathered[k] = c.single[len(c.single)-1]
	return c.gathered[:k+1]
}
