package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// hessian is H = X^T diag(c) X + lambda I over the columns and, if there is a
// bias, a last column of ones; only its lower triangle is formed.
//
// Rows are added as outer products, sparse ones element by element, in a fixed
// number of partial sums that are added up in order. By columns (row j of H
// gathers the rows of X that use column j) no partial sums are needed, but a
// transposed copy is, and each row of X is read once for each of its values.
type hessian struct {
	size   int         // d, or d+1 with a bias
	dense  bool        // rows are added as if they used every column
	lower  []float64   // size*size, row-major
	parts  [][]float64 // partial sums; the first is lower itself
	factor cholesky
}

// mostPartial bounds the partial sums together: 512 MB.
const mostPartial = 1 << 26

// newHessian makes room. The number of partial sums is a function of counts
// alone: each must be cheap against the outer products that go into it.
func newHessian(p *problem.Linear) *hessian {
	n, d := p.Dims()
	size := d
	if p.Bias != problem.None {
		size++
	}
	long := p.Nonzeros/int64(n) + 1
	work := int64(n) * long * long
	square := int64(size)*int64(size) + 1
	count := max(1, min(8, int64(n/newtonRows), work/(8*square), mostPartial/square))
	m := &hessian{size: size, lower: make([]float64, size*size)}
	// An element that has to be looked up costs four times as much.
	m.dense = 2*p.Nonzeros >= int64(n)*int64(d)
	m.parts = append(m.parts, m.lower)
	for range count - 1 {
		m.parts = append(m.parts, make([]float64, size*size))
	}
	return m
}

// form sets H for the row weights c.
func (m *hessian) form(p *problem.Linear, c []float64) {
	n := len(c)
	rows := (n + len(m.parts) - 1) / len(m.parts)
	matrix.Blocks(len(m.parts), 1, p.Threads, func(k, _, _ int) {
		clear(m.parts[k])
		lo, hi := min(k*rows, n), min((k+1)*rows, n)
		if m.dense {
			m.addDense(m.parts[k], p.X, c, lo, hi)
		} else {
			m.addSparse(m.parts[k], p.X, c, lo, hi)
		}
	})
	matrix.Blocks(m.size, 16, p.Threads, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			from, to := j*m.size, j*m.size+j+1
			row := m.lower[from:to]
			for _, part := range m.parts[1:] {
				for k, x := range part[from:to] {
					row[k] += x
				}
			}
			if j < p.Penalised() {
				row[j] += p.Lambda
			} else { // a free bias, on which perhaps no row is curved: the curvatures are about 1
				row[j] += 1e-12
			}
		}
	})
}

// addSparse adds c_i x_i x_i^T of rows lo to hi to h, one row after the other.
func (m *hessian) addSparse(h []float64, x matrix.Matrix, c []float64, lo, hi int) {
	_, d := x.Dims()
	values := make([]float64, d)
	for i := lo; i < hi; i++ {
		if c[i] == 0 {
			continue
		}
		v := x.Row(i)
		values = values[:len(v.Value)]
		for k, x := range v.Value {
			values[k] = float64(x)
		}
		for k, j := range v.Index {
			scaled, row := c[i]*values[k], h[int(j)*m.size:][:j+1]
			index := v.Index[:k+1]
			for l, x := range values[:len(index)] {
				row[index[l]] += float64(scaled * x)
			}
		}
		if m.size > d {
			row := h[d*m.size:]
			for k, x := range values {
				row[v.Index[k]] += float64(c[i] * x)
			}
			row[d] += c[i]
		}
	}
}

// addDense is addSparse with the zeros, four rows at a time.
func (m *hessian) addDense(h []float64, x matrix.Matrix, c []float64, lo, hi int) {
	_, d := x.Dims()
	var rows [4][]float64
	for k := range rows {
		rows[k] = make([]float64, m.size)
		if m.size > d {
			rows[k][d] = 1
		}
	}
	var weight [4]float64
	held := 0
	for i := lo; i <= hi; i++ {
		if i < hi && c[i] != 0 {
			clear(rows[held][:d])
			x.Row(i).AddTo(rows[held][:d], 1)
			weight[held] = c[i]
			held++
		}
		if held == len(rows) || i == hi {
			clear(weight[held:])
			m.addFour(h, &rows, &weight)
			held = 0
		}
	}
}

// addFour adds the outer products of four rows.
func (m *hessian) addFour(h []float64, rows *[4][]float64, weight *[4]float64) {
	for j := range m.size {
		row := h[j*m.size : j*m.size+j+1]
		x0, x1, x2, x3 := rows[0][:len(row)], rows[1][:len(row)], rows[2][:len(row)], rows[3][:len(row)]
		c0, c1, c2, c3 := weight[0]*x0[j], weight[1]*x1[j], weight[2]*x2[j], weight[3]*x3[j]
		for k := range row {
			sum := row[k] + float64(c0*x0[k])
			sum += float64(c1 * x1[k])
			sum += float64(c2 * x2[k])
			row[k] = sum + float64(c3*x3[k])
		}
	}
}

// decompose replaces H by its factor.
func (m *hessian) decompose(p *problem.Linear) { m.factor.decompose(m.lower, m.size, p.Threads) }

// solve sets x to -H^-1 g.
func (m *hessian) solve(x, g []float64) { m.factor.solve(x[:m.size], g[:m.size]) }
