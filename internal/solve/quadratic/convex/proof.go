package convex

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// box are bounds of all variables.
type box struct{ least, most []float64 }

// Proof says how good a point of a [Program] is. The values are those of the point, moved into the
// bounds of its variables.
type Proof struct {
	Objective float64
	// Bound: no feasible point has a smaller objective, as P is semidefinite; among those whose
	// variables are at most Radius in size, if that is finite.
	Bound, Radius float64
	Primal        float64 // largest violation of a row
	Dual          float64 // largest derivative of the Lagrangian that no bound balances

	relative float64 // Primal, to the largest term of the row
}

// Gap is how far the objective is from the bound, in the unit of the larger, which is 1 at least.
func (p *Proof) Gap() float64 {
	return (p.Objective - p.Bound) / max(1, math.Abs(p.Objective), math.Abs(p.Bound))
}

// certify judges x, moved into the bounds of variables, with multipliers y of the rows, any numbers;
// it returns both as they count. With r = P x + q + A^T y, as (z - x)^T P (z - x) >= 0, and as y^T A z
// is at most y_i upper_i, or y_i lower_i where y_i < 0, for every feasible z
//
//	z^T P z/2 + q^T z >= -x^T P x/2 + r^T z - y^T A z >= -x^T P x/2 + sum_j min(r_j least_j, r_j most_j) - sum_i max(y_i lower_i, y_i upper_i).
//
// Multipliers that ask for an infinite bound count as 0. Where r_j asks for one, which rows do not
// imply either, variables are at most Radius in size: about two hundred times the largest of x. Bound
// is that, less a bound on the rounding of all sums.
func (g *Program) certify(x, y []float64, implied box) (p Proof, inside, multipliers []float64) {
	inside, multipliers = slices.Clone(x), slices.Clone(y)
	largest := 0.0
	for j, v := range x {
		inside[j] = min(max(v, g.Least[j]), g.Most[j])
		largest = max(largest, math.Abs(inside[j]))
	}
	_, exponent := math.Frexp(largest + 1)
	radius := math.Ldexp(128, exponent)
	px, r, slack := g.reduced(inside, multipliers)
	var value vec.Sum
	var lower counted
	p.Radius = math.Inf(1)
	value.Add(g.Constant)
	lower.add(g.Constant)
	for j, v := range inside {
		value.Add(float64(v * (px[j]/2 + g.Q[j])))
		lower.add(-float64(v*px[j]) / 2)
		lower.off.Add(float64(slack[j] * math.Abs(v)))
		least := math.Inf(1)
		for _, r := range []float64{r[j] - slack[j], r[j] + slack[j]} {
			bound, ok := support(-r, implied.least[j], implied.most[j])
			if !ok {
				bound, p.Radius = math.Abs(r)*radius, radius
			}
			least = min(least, -bound)
		}
		lower.add(least)
		if _, ok := support(-r[j], g.Least[j], g.Most[j]); !ok {
			p.Dual = max(p.Dual, math.Abs(r[j]))
		}
	}
	for i, y := range multipliers {
		bound, _ := support(y, g.Lower[i], g.Upper[i])
		lower.add(-bound)
		off, size := g.violation(i, inside)
		p.Primal, p.relative = max(p.Primal, off), max(p.relative, off/size)
	}
	p.Objective, p.Bound = value.Value(), lower.least()
	return p, inside, multipliers
}

// counted is a sum with a bound on its roundings, and on those of its terms.
type counted struct{ sum, off vec.Sum }

func (c *counted) add(term float64) {
	c.sum.Add(term)
	c.off.Add(float64(0x1p-51 * math.Abs(term)))
}

// least is a lower bound of the sum.
func (c *counted) least() float64 {
	sum := c.sum.Value()
	return sum - c.off.Value() - float64(0x1p-51*math.Abs(sum))
}

// violation is how far row i is out of its bounds, and the size of its largest term, 1 at least.
func (g *Program) violation(i int, x []float64) (off, size float64) {
	index, values := g.A.Row(i)
	sum, size := 0.0, 1.0
	for k, j := range index {
		term := float64(values[k] * x[j])
		sum += term
		size = max(size, math.Abs(term))
	}
	return max(g.Lower[i]-sum, sum-g.Upper[i]), size
}

// reduced returns P x, r = P x + q + A^T y, and what their roundings are at most, after y that ask for
// an infinite bound are 0; x may be nil, for 0 and without q. Products and sums are compensated: of
// k terms the result is off by u |result| + (k u)^2 times their sizes (Ogita, Rump, Oishi 2005).
func (g *Program) reduced(x, y []float64) (px, r, off []float64) {
	n := len(g.Q)
	px, r, off = make([]float64, n), make([]float64, n), make([]float64, n)
	sums, terms := make([]vec.Sum, n), make([]float64, n)
	add := func(j int, a, b float64) {
		product := float64(a * b)
		sums[j].Add(product)
		sums[j].Add(math.FMA(a, b, -product))
		terms[j]++
		off[j] += math.Abs(product)
	}
	if x != nil {
		for i := range n {
			index, value := g.P.Row(i)
			for k, j := range index {
				add(i, value[k], x[j])
			}
			px[i] = sums[i].Value()
			add(i, g.Q[i], 1)
		}
	}
	for i, v := range y {
		if _, ok := support(v, g.Lower[i], g.Upper[i]); !ok {
			v, y[i] = 0, 0
		}
		if index, value := g.A.Row(i); v != 0 {
			for k, j := range index {
				add(j, value[k], v)
			}
		}
	}
	for j := range r {
		r[j] = sums[j].Value()
		k := 2*terms[j] + 4
		off[j] = float64(off[j]*(k*k)*0x1p-104) + float64(0x1p-52*math.Abs(r[j])) + 0x1p-1000
	}
	return px, r, off
}

// support is the largest y v of all v between the bounds; false: there is none.
func support(y, lower, upper float64) (float64, bool) {
	bound := upper
	if y < 0 {
		bound = lower
	}
	if y == 0 {
		return 0, true
	}
	return float64(y * bound), bound-bound == 0
}

// Refutation proves that there is no feasible point: y^T A x is at most the sum of y_i upper_i, or
// of y_i lower_i where y_i < 0, for all x whose rows are within their bounds; and it is more for all
// within the bounds of the variables. Margin is by how much, Radius up to which size of variables
// that have no bound, and infinite where none counts.
type Refutation struct {
	Y              []float64
	Margin, Radius float64
}

// Refute judges y, any numbers.
func (g *Program) Refute(y []float64) Refutation {
	p := Refutation{Y: slices.Clone(y), Radius: math.Inf(1)}
	_, r, slack := g.reduced(nil, p.Y)
	var margin counted
	unbounded := 0.0
	for j, v := range r {
		least := math.Inf(1)
		for _, r := range []float64{v - slack[j], v + slack[j]} {
			bound, ok := support(-r, g.Least[j], g.Most[j])
			if !ok {
				unbounded, bound = unbounded+math.Abs(r), 0
			}
			least = min(least, -bound)
		}
		margin.add(least)
	}
	for i, y := range p.Y {
		bound, _ := support(y, g.Lower[i], g.Upper[i])
		margin.add(-bound)
	}
	p.Margin = margin.least()
	if unbounded > 0 {
		p.Radius = p.Margin / unbounded
	}
	return p
}

// Ray is a direction along which the objective falls without end: P d = 0, q^T d < 0, and no bound
// of a row or variable is in the way. Slope is q^T d, for d whose largest number is 1; Residual is
// how far d is from all that: the largest number of P d, and of A d or d towards a finite bound.
type Ray struct {
	D               []float64
	Slope, Residual float64
}

// Descend judges d.
func (g *Program) Descend(d []float64) Ray {
	largest := 0.0
	for _, v := range d {
		largest = max(largest, math.Abs(v))
	}
	r := Ray{D: make([]float64, len(d)), Residual: math.Inf(1)}
	if !(largest > 0) || largest-largest != 0 {
		return r
	}
	pd, ad := make([]float64, len(d)), make([]float64, g.A.Rows())
	r.Residual = 0
	towards := func(v, lower, upper float64) {
		if v > 0 && upper < math.Inf(1) || v < 0 && lower > math.Inf(-1) {
			r.Residual = max(r.Residual, math.Abs(v))
		}
	}
	for j, v := range d {
		r.D[j] = v / largest
	}
	g.P.Times(pd, r.D)
	g.A.Times(ad, r.D)
	for j, v := range pd {
		r.Residual = max(r.Residual, math.Abs(v))
		towards(r.D[j], g.Least[j], g.Most[j])
	}
	for i, v := range ad {
		towards(v, g.Lower[i], g.Upper[i])
	}
	r.Slope = vec.Dot64(g.Q, r.D)
	return r
}
