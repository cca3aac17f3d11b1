package hessian

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// Conjugate solves H d = -g by conjugate gradients, H never formed.
//
//	Product   H v = lambda v + X^T(c.(X v)): one pass over the data
//	Scaled    by the diagonal of H, or of that of some epochs ago: for single columns the
//	          curvatures do not change much. By the factor of an H of some epochs ago
//	          where that can be formed, but costs as much as many products
//	Ends      when the residual is as small as asked for, after so many products, or at a
//	          limit. Whatever it has by then is a direction of descent
type Conjugate struct {
	Over     parts.Limit // of the products
	Factor   *Matrix     // which scales if it is not nil, else
	Diagonal []float64   // d+1, set by Prepare
	Single   []float64   // d+1: beside lambda on the diagonal of H; nil: nothing

	r, z, s []float64 // d+1: residual, scaled, direction
	along   []float64 // n: X s
	hs      []float64 // d+1: H s; memory that is made anew for each product is collected too late
}

// NewConjugate makes room for problems as large as p.
func NewConjugate(p *problem.Linear) *Conjugate {
	n, d := p.Dims()
	m := &Conjugate{along: make([]float64, n)}
	for _, v := range []*[]float64{&m.Diagonal, &m.r, &m.z, &m.s, &m.hs} {
		*v = make([]float64, d+1)
	}
	return m
}

// Shortened returns m for problems of fewer columns: size numbers with the constant one. Both
// share their memory.
func (m *Conjugate) Shortened(size int) *Conjugate {
	c := *m
	for _, v := range []*[]float64{&c.Diagonal, &c.r, &c.z, &c.s, &c.hs} {
		*v = (*v)[:size]
	}
	return &c
}

// Solve sets x to nearly -H^-1 g, with the scale as it is, and move, unless it is nil, to X x:
// with a residual of norm goal, or after most products; it returns their number.
func (m *Conjugate) Solve(x, move, g []float64, goal float64, most int, p *problem.Linear, c []float64) int {
	clear(x)
	clear(move)
	for j, g := range g {
		m.r[j] = -g
	}
	m.scale()
	copy(m.s, m.z)
	rz := parts.Inner(m.r, m.z)
	for product := range most {
		m.Product(p, c, m.s)
		curvature := parts.Inner(m.s, m.hs)
		if !(curvature > 0) || !(rz > 0) {
			return product + 1
		}
		step := rz / curvature
		parallel.Blocks(len(move), parts.BlockRows, p.Threads, func(_, lo, hi int) {
			vec.Axpy64(move[lo:hi], step, m.along[lo:hi])
		})
		for j, s := range m.s {
			x[j] += float64(step * s)
			m.r[j] -= float64(step * m.hs[j])
		}
		if parts.Inner(m.r, m.r) <= float64(goal*goal) || m.Over.Reached() {
			return product + 1
		}
		m.scale()
		next := parts.Inner(m.r, m.z)
		for j, z := range m.z {
			m.s[j] = z + float64(next/rz*m.s[j])
		}
		rz = next
	}
	return most
}

// scale sets z to about H^-1 r.
func (m *Conjugate) scale() {
	if m.Factor != nil {
		m.Factor.Solve(m.z, m.r)
		for j, z := range m.z {
			m.z[j] = -z
		}
		return
	}
	for j, r := range m.r {
		m.z[j] = r / m.Diagonal[j]
	}
}

// Prepare sets the diagonal of H, which scales from then on where there is no Factor.
func (m *Conjugate) Prepare(p *problem.Linear, c []float64) {
	p.SumTo(m.Diagonal, func(sum []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			addSquares(sum, p.X.Row(i), c[i])
		}
	})
	for j := range m.Diagonal {
		if j < p.Penalised() {
			m.Diagonal[j] += p.Lambda
		} else {
			m.Diagonal[j] += 1e-12 // no bias, or one on which no row is curved
		}
	}
	for j, c := range m.Single {
		m.Diagonal[j] += c
	}
}

// Product returns H s, until the next product, and sets along to X s. A block of rows is in the
// cache when it is added; two passes take a fifth longer.
func (m *Conjugate) Product(p *problem.Linear, c, s []float64) []float64 {
	p.SumTo(m.hs, func(sum []float64, lo, hi int) {
		d := len(s) - 1
		var room [parts.BlockRows]float64
		for ; lo < hi; lo += parts.BlockRows {
			end := min(lo+parts.BlockRows, hi)
			parts.Predict(m.along, p.X, lo, end, s)
			v := room[:end-lo]
			for k, c := range c[lo:end] {
				v[k] = float64(c * m.along[lo+k])
				sum[d] += v[k]
			}
			matrix.AddRows(sum[:d], p.X, lo, v)
		}
	})
	for j, c := range m.Single {
		m.hs[j] += float64(c * s[j])
	}
	parts.AddPenalty(m.hs, p, s)
	return m.hs
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
