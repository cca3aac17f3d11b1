package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// conjugate solves H d = -g by conjugate gradients, H never formed: for more
// columns than a matrix can have (truncated Newton; Lin, Weng, Keerthi 2008).
//
//	Product   H v = lambda v + X^T(c.(X v)): two passes over the data
//	Scaled    by the diagonal of H
//	Ends      when the residual is a tenth of g, less where Newton's method
//	          begins to converge: (|g|/|g of the first epoch|)^(1/2); or after
//	          mostProducts, so that an epoch is not endless. Whatever it has by
//	          then is a direction of descent
type conjugate struct {
	gradients
	first float64   // |g| of the first epoch
	along []float64 // n: X s
	hs    []float64 // d+1: H s; memory that is made anew for each product is collected too late
}

const mostProducts = 100

func newConjugate(p *problem.Linear) *conjugate {
	n, d := p.Dims()
	return &conjugate{gradients: newGradients(d + 1), along: make([]float64, n), hs: make([]float64, d+1)}
}

// prepare sets the diagonal of H. The parts do not depend on the cores.
func (m *conjugate) prepare(p *problem.Linear, c []float64) {
	parts := int(max(1, min(8, p.Nonzeros/int64(8*len(m.diagonal)))))
	part := make([][]float64, parts)
	parallel.Blocks(len(c), len(c)/parts+1, p.Threads, func(b, lo, hi int) {
		part[b] = make([]float64, len(m.diagonal))
		for i := lo; i < hi; i++ {
			addSquares(part[b], p.X.Row(i), c[i])
		}
	})
	clear(m.diagonal)
	for _, sum := range part {
		if sum != nil {
			vec.Axpy64(m.diagonal, 1, sum)
		}
	}
	for j := range m.diagonal {
		if j < p.Penalised() {
			m.diagonal[j] += p.Lambda
		} else {
			m.diagonal[j] += 1e-12 // no bias, or one on which no row is curved
		}
	}
}

// solve sets x to nearly -H^-1 g.
func (m *conjugate) solve(x, g []float64, p *problem.Linear, c []float64) {
	size := math.Sqrt(inner(g, g))
	if m.first == 0 {
		m.first = size
	}
	goal := size * min(0.1, math.Sqrt(size/m.first))
	m.solveTo(x, g, goal, mostProducts, p, c)
}

// solveTo sets x to nearly -H^-1 g: with a residual of norm goal, or after most
// products.
func (m *conjugate) solveTo(x, g []float64, goal float64, most int, p *problem.Linear, c []float64) {
	m.prepare(p, c)
	m.gradients.solve(x, g, goal, most, func(s []float64) []float64 { return m.product(p, c, s) })
}

// product returns H s.
func (m *conjugate) product(p *problem.Linear, c, s []float64) []float64 {
	along := m.along[:len(c)]
	p.Predict(along, s)
	for i, c := range c {
		along[i] *= c
	}
	gradientTo(m.hs, p, s, along)
	return m.hs
}

// gradients are conjugate gradients, scaled by the diagonal of H.
type gradients struct {
	diagonal []float64
	r, z, s  []float64 // residual, scaled, direction
}

func newGradients(size int) gradients {
	return gradients{diagonal: make([]float64, size), r: make([]float64, size), z: make([]float64, size), s: make([]float64, size)}
}

// solve sets x to nearly -H^-1 g: with a residual of norm goal, or after most
// products. product returns H s.
func (m *gradients) solve(x, g []float64, goal float64, most int, product func(s []float64) []float64) {
	clear(x)
	for j, g := range g {
		m.r[j] = -g
		m.z[j] = -g / m.diagonal[j]
		m.s[j] = m.z[j]
	}
	rz := inner(m.r, m.z)
	for range most {
		hs := product(m.s)
		curvature := inner(m.s, hs)
		if !(curvature > 0) || !(rz > 0) {
			return
		}
		step := rz / curvature
		for j, s := range m.s {
			x[j] += float64(step * s)
			m.r[j] -= float64(step * hs[j])
			m.z[j] = m.r[j] / m.diagonal[j]
		}
		if inner(m.r, m.r) <= float64(goal*goal) {
			return
		}
		next := inner(m.r, m.z)
		for j, z := range m.z {
			m.s[j] = z + float64(next/rz*m.s[j])
		}
		rz = next
	}
}

// addSquares adds c times the squares of a row, and of the constant column, to
// the diagonal of H.
func addSquares(diagonal []float64, x matrix.Vector, c float64) {
	for k, v := range x.Value {
		diagonal[x.Column(k)] += float64(c * float64(float64(v)*float64(v)))
	}
	diagonal[len(diagonal)-1] += c
}

// inner returns <a,b>, in order.
func inner(a, b []float64) float64 {
	sum := 0.0
	for j, x := range a {
		sum += float64(x * b[j])
	}
	return sum
}
