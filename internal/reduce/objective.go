package reduce

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// Objective is what a method minimises, with a bound: no machine has less, whatever its vectors.
type Objective struct {
	Name   string  // of the thesis: 3.1 with a bias that is kept, 3.6 with one that is chosen, 3.8
	Value  float64 // of the machine
	Below  float64 // at most the least value
	Radius float64 // among machines of a norm up to this, as 3.3 has it; +Inf: any
}

// mostBounded is of how many vectors the bound on f is computed: it takes all values of them.
const mostBounded = 1 << 13

// Bound returns a lower bound on the f of an output of all machines of a norm up to radius. With
// p >= 0 that adds up to 1 over rows and both of their sides,
//
//	f(v) >= sum_i p_i lo_i - sum_i q_i hi_i - b (sum p - sum q) - radius |sum_i (p_i - q_i) Phi(x_i)|
//
// by weak duality; where the bias is free, p and q have the sum 1/2 each. Here p and q are the
// positive and negative coefficients of the choice, scaled: those of Descent are sums of its
// subgradients. It is -Inf where they belong to no bounds, or vectors are no rows.
//
// Cost: all values of the kernel of the vectors, in double precision.
func (t *Target) Bound(c *Choice, output int, free bool, radius float64) float64 {
	o := t.Outputs[output]
	if len(c.Rows) == 0 || len(c.Rows) > mostBounded {
		return math.Inf(-1)
	}
	weight, sums := make([]float64, len(c.Rows)), [2]float64{}
	for k, i := range c.Rows {
		switch v := c.Coefficients[output][k]; {
		case v > 0 && !math.IsInf(o.Lo[i], 0):
			weight[k], sums[0] = v, sums[0]+v
		case v < 0 && !math.IsInf(o.Hi[i], 0):
			weight[k], sums[1] = v, sums[1]-v
		}
	}
	scale := [2]float64{1 / (sums[0] + sums[1]), 1 / (sums[0] + sums[1])}
	if free {
		scale = [2]float64{0.5 / sums[0], 0.5 / sums[1]}
	}
	if math.IsInf(scale[0], 0) || math.IsInf(scale[1], 0) {
		return math.Inf(-1)
	}
	value, size := 0.0, 0.0
	for k, i := range c.Rows {
		side, end := 0, o.Lo[i]
		if weight[k] < 0 {
			side, end = 1, o.Hi[i]
		}
		if weight[k] *= scale[side]; weight[k] == 0 {
			continue
		}
		if !free {
			end -= o.Bias
		}
		value += float64(weight[k] * end)
		size += float64(math.Abs(weight[k]) * math.Abs(end))
	}
	length := lengthOf(t.Gram, c.Rows, weight)
	return value - float64(radius*length) - 1e-13*float64(len(weight)+8)*(size+float64(radius*length))
}

// Length returns the norm of an output of a choice of rows, rounded up.
func (t *Target) Length(c *Choice, output int) float64 {
	size := 0.0
	for _, v := range c.Coefficients[output] {
		size += math.Abs(v)
	}
	if size == 0 || len(c.Rows) > mostBounded {
		return 0
	}
	w := make([]float64, len(c.Rows))
	for k, v := range c.Coefficients[output] {
		w[k] = v / size
	}
	return lengthOf(t.Gram, c.Rows, w) * size
}

// lengthOf bounds |sum_k w_k Phi(x_k)| from above, for sum |w_k| <= 1.
func lengthOf(g *gram.Gram, rows []int, w []float64) float64 {
	sums := make([]float64, len(rows))
	most, norm := 0.0, 0.0
	parallel.Blocks(len(rows), 16, g.Threads(), func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			for l, j := range rows {
				if w[k] != 0 && w[l] != 0 {
					sums[k] += float64(w[k] * w[l] * g.Kernel.Eval(g.X.Row(rows[k]), g.X.Row(j)))
				}
			}
		}
	})
	squared := 0.0
	for k, i := range rows {
		squared += sums[k]
		most, norm = max(most, math.Abs(g.Diagonal[i])), max(norm, g.SquaredNorm[i])
	}
	roundings := 0x1p-52 * float64(len(rows)+16) * most
	return math.Sqrt(max(0, squared)+roundings+g.Kernel.Error(g.Terms, norm, norm)) * (1 + 1e-15)
}
