package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver/internal/parts"
	"github.com/fenchel-ml/fenchel/vec"
)

// conjugate solves H d = -g by conjugate gradients, H never formed: for more
// columns than a matrix can have (truncated Newton; Lin, Weng, Keerthi 2008).
//
//	Product   H v = lambda v + X^T(c.(X v)): one pass over the data
//	Scaled    by the diagonal of H, or of that of some epochs ago: for single columns the
//	          curvatures do not change much. By the factor of an H of some epochs ago
//	          where that can be formed, but costs as much as many products
//	Ends      when the residual is a tenth of g, less where Newton's method
//	          begins to converge: (|g|/|g of the first epoch|)^(1/2), but at least a
//	          twentieth, because a run may be over sooner; or after so many products
//	          that an epoch would be endless, or a new factor cheaper. Whatever it has by
//	          then is a direction of descent
//
// Rejected, logistic on rcv1's shape: H of every fourth row, the diagonal and the gradient
// of all, as rare columns ask for more products and epochs; to begin at the solution of an
// eighth of the rows, which fits its rare columns; the diagonal of every eighth row, or H
// without the rows that have 2 % of the curvature, either of which doubles the products.
type conjugate struct {
	most  int         // products of a step of Newton's method
	first float64     // |g| of the first epoch
	since int         // products since the scale was made
	last  int         // products of the last step
	over  parts.Limit // of the products
	steps int         // of Newton's method so far,
	spent int         // and their products

	matrix int // so many products take as long as H, see curved.prepare; 0: it is not the alternative

	factor   *hessian  // which scales if it is not nil
	diagonal []float64 // d+1
	single   []float64 // d+1: beside lambda on the diagonal of H; nil: nothing

	r, z, s []float64 // d+1: residual, scaled, direction
	along   []float64 // n: X s
	hs      []float64 // d+1: H s; memory that is made anew for each product is collected too late
}

const (
	mostProducts = 100
	mostSince    = 10 // a diagonal costs as much as a product
)

func newConjugate(p *problem.Linear) *conjugate {
	n, d := p.Dims()
	m := &conjugate{most: mostProducts, along: make([]float64, n)}
	for _, v := range []*[]float64{&m.diagonal, &m.r, &m.z, &m.s, &m.hs} {
		*v = make([]float64, d+1)
	}
	return m
}

// solve sets x to nearly -H^-1 g, and move to X x.
func (m *conjugate) solve(x, move, g []float64, p *problem.Linear, c []float64) {
	size := math.Sqrt(inner(g, g))
	if m.first == 0 {
		m.first = size
	}
	if m.factor == nil && (m.since == 0 || m.since > mostSince) {
		m.prepare(p, c)
		m.since = 0
	}
	goal := size * min(0.1, max(0.05, math.Sqrt(size/m.first)))
	m.last = m.run(x, move, g, goal, m.most, p, c)
	m.since += m.last
	m.spent += m.last
	m.steps++
}

// worth returns how many products the next step may take, where there may be a matrix
// instead.
func (m *conjugate) worth() int {
	if m.steps < trialSteps {
		return m.matrix/trialShare + 1 - m.spent
	}
	return min(m.matrix-m.spent, mostProducts)
}

// solveTo sets x to nearly -H^-1 g: with a residual of norm goal, or after most
// products; it returns their number.
func (m *conjugate) solveTo(x, g []float64, goal float64, most int, p *problem.Linear, c []float64) int {
	m.prepare(p, c)
	return m.run(x, nil, g, goal, most, p, c)
}

// shortened returns m for problems of fewer columns: size numbers with the constant one.
func (m *conjugate) shortened(size int) *conjugate {
	c := *m
	for _, v := range []*[]float64{&c.diagonal, &c.r, &c.z, &c.s, &c.hs} {
		*v = (*v)[:size]
	}
	return &c
}

// run is solveTo with the scale as it is; it returns the number of products, and sets
// move, unless it is nil, to X x.
func (m *conjugate) run(x, move, g []float64, goal float64, most int, p *problem.Linear, c []float64) int {
	clear(x)
	clear(move)
	for j, g := range g {
		m.r[j] = -g
	}
	m.scale()
	copy(m.s, m.z)
	rz := inner(m.r, m.z)
	for product := range most {
		m.product(p, c, m.s)
		curvature := inner(m.s, m.hs)
		if !(curvature > 0) || !(rz > 0) {
			return product + 1
		}
		step := rz / curvature
		parallel.Blocks(len(move), blockRows, p.Threads, func(_, lo, hi int) {
			vec.Axpy64(move[lo:hi], step, m.along[lo:hi])
		})
		for j, s := range m.s {
			x[j] += float64(step * s)
			m.r[j] -= float64(step * m.hs[j])
		}
		if inner(m.r, m.r) <= float64(goal*goal) || m.over.Reached() {
			return product + 1
		}
		m.scale()
		next := inner(m.r, m.z)
		for j, z := range m.z {
			m.s[j] = z + float64(next/rz*m.s[j])
		}
		rz = next
	}
	return most
}

// scale sets z to about H^-1 r.
func (m *conjugate) scale() {
	if m.factor != nil {
		m.factor.solve(m.z, m.r)
		for j, z := range m.z {
			m.z[j] = -z
		}
		return
	}
	for j, r := range m.r {
		m.z[j] = r / m.diagonal[j]
	}
}

// prepare sets the diagonal of H.
func (m *conjugate) prepare(p *problem.Linear, c []float64) {
	p.SumTo(m.diagonal, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			addSquares(sum, p.X.Row(i), c[i])
		}
	})
	for j := range m.diagonal {
		if j < p.Penalised() {
			m.diagonal[j] += p.Lambda
		} else {
			m.diagonal[j] += 1e-12 // no bias, or one on which no row is curved
		}
	}
	for j, c := range m.single {
		m.diagonal[j] += c
	}
}

// product sets hs to H s and along to X s. A block of rows is in the cache when
// it is added; two passes take a fifth longer.
func (m *conjugate) product(p *problem.Linear, c, s []float64) {
	p.SumTo(m.hs, func(sum []float64, lo, hi int) {
		d := len(s) - 1
		var room [blockRows]float64
		for ; lo < hi; lo += blockRows {
			end := min(lo+blockRows, hi)
			predict(m.along, p.X, lo, end, s)
			v := room[:end-lo]
			for k, c := range c[lo:end] {
				v[k] = float64(c * m.along[lo+k])
				sum[d] += v[k]
			}
			matrix.AddRows(sum[:d], p.X, lo, v)
		}
	})
	for j, c := range m.single {
		m.hs[j] += float64(c * s[j])
	}
	addPenalty(m.hs, p, s)
}

// addSquares adds c times the squares of a row, and of the constant column, to
// the diagonal of H.
func addSquares(diagonal []float64, x matrix.Vector, c float64) {
	diagonal[len(diagonal)-1] += c
	if x.Index == nil {
		for j, v := range x.Value {
			diagonal[j] += float64(c * float64(float64(v)*float64(v)))
		}
		return
	}
	value := x.Value[:len(x.Index)]
	for k, j := range x.Index {
		v := float64(value[k])
		diagonal[j] += float64(c * float64(v*v))
	}
}
