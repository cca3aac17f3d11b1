package problem

import (
	"cmp"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Level returns the best rho for responses f = K beta and a bias, which is -epsilon
// in a regression: the quantile at nu of the margins, or of -|y - f - b|. For one class
// rho is -b, and the level is what is left of it, 0.
func (p *Nu) Level(f []float64, bias float64) float64 {
	if p.OneClass() {
		return 0
	}
	var c, weight []float64
	for side, s := range p.Sides {
		for i, w := range s.Cap {
			if w > 0 {
				c = append(c, float64(sign(side)*(f[i]-p.Targets[i]))+float64(sign(side)*bias))
				weight = append(weight, w)
			}
		}
	}
	return Quantile(c, weight, p.Sides[0].Mass+p.Sides[1].Mass)
}

// Bias returns the best bias for responses f = K beta, with the best level: rho+ and
// rho- are quantiles of the values of either side.
func (p *Nu) Bias(f []float64) float64 {
	var rho [2]float64
	for side, s := range p.Sides {
		var c, weight []float64
		for i, w := range s.Cap {
			if w > 0 {
				c, weight = append(c, sign(side)*(f[i]-p.Targets[i])), append(weight, w)
			}
		}
		rho[side] = Quantile(c, weight, s.Mass)
	}
	if p.OneClass() {
		return -rho[0]
	}
	return (rho[1] - rho[0]) / 2
}

// Quantile returns a c_k at which -mass rho + sum_i weight_i max(0, rho - c_i) is least:
// the first, in order, up to which the weights add up to mass. 0 if there are none.
func Quantile(c, weight []float64, mass float64) float64 {
	order := make([]int, len(c))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(c[i], c[j]), i-j) })
	value := 0.0
	var sum vec.Sum
	for _, i := range order {
		sum.Add(weight[i])
		if value = c[i]; sum.Value() >= mass*(1-16*unit) {
			break
		}
	}
	return value
}
