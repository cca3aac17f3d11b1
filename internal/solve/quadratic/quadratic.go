// Package quadratic solves convex quadratic programs with bounds and a few equations,
//
//	min  x^T Q x/2 + c^T x,  A x = b,  lower <= x <= upper
//
// of n variables and m rows of A, Q positive semidefinite, all bounds finite: the dual problems
// of kernel machines have this form, m being 1 with a free bias. [Interior] is a primal-dual
// interior-point method, [Factor] is what active sets need. A [Certificate] proves how good a point
// is. The tests compare both with a method of working sets for several equations (decompose_test.go).
//
// What the kernel machines need of it takes Q as a [Matrix], of which only products and
// solutions with Q + D are asked for. Programs of any rows and bounds are those
// of the package convex below.
package quadratic

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Matrix is a symmetric positive semidefinite matrix Q of n rows.
type Matrix interface {
	Len() int
	// Product sets dst = Q x.
	Product(dst, x []float64)
	// Factor prepares Solve for Q + diag(d), d > 0.
	Factor(d []float64)
	// Solve sets x to the solution of (Q + diag(d)) x = b; x may be b.
	Solve(x, b []float64)
}

// Program is a quadratic program.
type Program struct {
	Q            Matrix
	C            []float64   // n
	A            [][]float64 // m rows of n
	B            []float64   // m
	Lower, Upper []float64   // n, finite
}

// Certificate says how good a point is. Values are in the unit of the objective.
type Certificate struct {
	Value      float64 // of the objective
	Lower      float64 // no feasible point has a smaller one
	Infeasible float64 // largest |A x - b|_k; bounds hold exactly
}

// Certify judges x, moved into its bounds, with multipliers y of the equations, any numbers:
// with g = Q x + c and r = g + A^T y, for every feasible z, as the objective is convex,
//
//	f(z) >= f(x) + g^T (z - x) = f(x) - g^T x - y^T b + r^T z >= ... + sum_i min(r_i lower_i, r_i upper_i).
//
// Lower is that, less a bound on the rounding of the sums, of the products with Q too if these
// are sums of n products.
func (p *Program) Certify(x, y []float64) Certificate {
	n := len(p.C)
	inside, product := make([]float64, n), make([]float64, n)
	for i, v := range x {
		inside[i] = min(max(v, p.Lower[i]), p.Upper[i])
	}
	p.Q.Product(product, inside)
	var value, linear, best, size vec.Sum
	for i, v := range inside {
		g := product[i] + p.C[i]
		r, sizes := g, math.Abs(product[i])+math.Abs(p.C[i])
		for k, row := range p.A {
			term := float64(row[i] * y[k])
			r += term
			sizes += math.Abs(term)
		}
		value.Add(float64(v * (product[i]/2 + p.C[i])))
		linear.Add(float64(g * v))
		best.Add(min(float64(r*p.Lower[i]), float64(r*p.Upper[i])))
		size.Add(float64(sizes * max(math.Abs(p.Lower[i]), math.Abs(p.Upper[i]))))
	}
	c := Certificate{Value: value.Value()}
	lower := c.Value - linear.Value() + best.Value()
	for k, row := range p.A {
		term := float64(y[k] * p.B[k])
		lower -= term
		size.Add(math.Abs(term))
		c.Infeasible = max(c.Infeasible, math.Abs(dot(row, inside)-p.B[k]))
	}
	c.Lower = lower - float64(float64(8*(n+len(p.A)+8))*0x1p-53*(size.Value()+p.sizes(inside)))
	return c
}

// sizes is the sum of |x_i| (|Q| |x|)_i at most, from the diagonal: |Q_ij|^2 <= Q_ii Q_jj. 0 where
// that is not known.
func (p *Program) sizes(x []float64) float64 {
	q, ok := p.Q.(interface{ Diagonal(i int) float64 })
	if !ok {
		return 0
	}
	sum := 0.0
	largest := 0.0
	for i, v := range x {
		root := math.Sqrt(max(0, q.Diagonal(i)))
		sum += float64(root * math.Abs(v))
		largest += float64(root * max(math.Abs(p.Lower[i]), math.Abs(p.Upper[i])))
	}
	return float64(sum * (sum + largest))
}

// dot returns the inner product, compensated.
func dot(a, b []float64) float64 {
	var sum vec.Sum
	for i, v := range a {
		sum.Add(float64(v * b[i]))
	}
	return sum.Value()
}
