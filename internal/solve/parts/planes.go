package parts

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// A Plane is a lower bound <g,w> + o of the mean loss.
type Plane struct {
	G     []float64 // g, or its coefficients
	Image []float64 // what makes the inner product with another plane: its G, or K times that
	O     float64
	Dual  []float64 // the dual variables that g is the mean of
}

// dot is the inner product of the g of two planes.
func (a Plane) dot(b Plane) float64 { return vec.Dot64(a.G, b.Image) }

// Planes minimise the penalty lambda/2 |w|^2 plus the highest of some planes (Teo, Vishwanathan,
// Smola, Le 2010: BMRM). The dual problem is a quadratic program over the simplex,
//
//	min |sum_j beta_j g_j|^2/(2 lambda) - sum_j beta_j o_j,   w = -sum_j beta_j g_j/lambda
type Planes struct {
	Most   int // at most so many: of more, two become one
	Lambda float64
	All    []Plane
	Beta   []float64   // the solution, adds up to 1
	gram   [][]float64 // inner products
	solved bool        // since the last one was added
}

// Add adds a plane, unless it is not finite.
func (c *Planes) Add(p Plane) bool {
	if len(c.All) == c.Most {
		c.merge()
	}
	if square := p.dot(p); !(p.O > math.Inf(-1)) || square-square != 0 {
		return false
	}
	row := make([]float64, 0, len(c.All)+1)
	for j, other := range c.All {
		v := p.dot(other)
		row, c.gram[j] = append(row, v), append(c.gram[j], v)
	}
	c.gram = append(c.gram, append(row, p.dot(p)))
	c.All, c.solved = append(c.All, p), false
	if c.Beta = append(c.Beta, 0); len(c.Beta) == 1 {
		c.Beta[0] = 1
	}
	return true
}

// merge makes one of the two planes of least weight: of two that the solution does not need, the
// first.
func (c *Planes) merge() {
	order := make([]int, len(c.All))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case c.Beta[a] < c.Beta[b]:
			return -1
		case c.Beta[a] > c.Beta[b]:
			return 1
		}
		return 0
	})
	j, k := order[0], order[1]
	if sum := c.Beta[j] + c.Beta[k]; c.Beta[j] > 0 {
		c.All[k] = mix(c.All[j], c.All[k], c.Beta[j]/sum)
		c.Beta[k] = sum
		for l := range c.All {
			v := c.All[k].dot(c.All[l])
			c.gram[k][l], c.gram[l][k] = v, v
		}
	}
	c.All, c.Beta, c.gram = slices.Delete(c.All, j, j+1), slices.Delete(c.Beta, j, j+1), slices.Delete(c.gram, j, j+1)
	for l := range c.gram {
		c.gram[l] = slices.Delete(c.gram[l], j, j+1)
	}
}

// mix is share of a and the rest of b.
func mix(a, b Plane, share float64) Plane {
	of := func(x, y []float64) []float64 {
		z := make([]float64, len(x))
		for i := range z {
			z[i] = float64(share*x[i]) + float64((1-share)*y[i])
		}
		return z
	}
	p := Plane{G: of(a.G, b.G), O: float64(share*a.O) + float64((1-share)*b.O), Dual: of(a.Dual, b.Dual)}
	if p.Image = p.G; &a.Image[0] != &a.G[0] || &b.Image[0] != &b.G[0] {
		p.Image = of(a.Image, b.Image)
	}
	return p
}

// Solve finds the solution by pairwise steps: mass goes from the plane with the largest slope to the
// plane with the least.
func (c *Planes) Solve() {
	if c.solved {
		return
	}
	c.solved = true
	slope := make([]float64, len(c.All))
	for j := range slope {
		slope[j] = vec.Dot64(c.gram[j], c.Beta)/c.Lambda - c.All[j].O
	}
	scale := 0.0
	for _, v := range slope {
		scale = max(scale, math.Abs(v))
	}
	for range 500 * len(slope) {
		to, from := c.ends(slope)
		fall := slope[from] - slope[to]
		if !(fall > 1e-13*scale) {
			return
		}
		bend := (c.gram[to][to] + c.gram[from][from] - 2*c.gram[to][from]) / c.Lambda
		step := c.Beta[from]
		if bend > 0 {
			step = min(step, fall/bend)
		}
		c.Beta[to] += step
		c.Beta[from] -= step
		for j := range slope {
			slope[j] += float64(step * (c.gram[to][j] - c.gram[from][j]) / c.Lambda)
		}
	}
}

// ends returns the plane of the least slope, and of those with some weight that of the largest.
func (c *Planes) ends(slope []float64) (to, from int) {
	to, from = -1, -1
	for j, v := range slope {
		if to < 0 || v < slope[to] {
			to = j
		}
		if c.Beta[j] > 0 && (from < 0 || v > slope[from]) {
			from = j
		}
	}
	return to, from
}

// Value is the objective at the solution's w, which nothing is below.
func (c *Planes) Value() float64 {
	square, offset := 0.0, 0.0
	for j, b := range c.Beta {
		square += float64(b * vec.Dot64(c.gram[j], c.Beta))
		offset += float64(b * c.All[j].O)
	}
	return offset - square/(2*c.Lambda)
}

// Combine adds the planes' parts to dst, times factor and the solution.
func (c *Planes) Combine(dst []float64, factor float64, part func(Plane) []float64) {
	for j, p := range c.All {
		if c.Beta[j] > 0 {
			vec.Axpy64(dst, float64(factor*c.Beta[j]), part(p))
		}
	}
}

// LineMinimum returns how far along a line a convex objective is least, from 0 to 1: where its slope
// changes sign, by bisection to 1e-12.
func LineMinimum(slope func(t float64) float64) float64 {
	lo, hi := 0.0, 1.0
	if slope(hi) <= 0 {
		return hi
	}
	for range 40 {
		if t := (lo + hi) / 2; slope(t) > 0 {
			hi = t
		} else {
			lo = t
		}
	}
	return lo
}
