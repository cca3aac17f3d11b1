package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// hessian is H = X^T diag(c) X + lambda I over the columns and, if there is a
// bias, a last column of ones; only its lower triangle counts.
//
// Rows are added as outer products in a fixed number of partial sums that are
// added up in order: sparse ones element by element, dense ones as a product of
// matrices, for which blocks of rows are copied with their zeros. By columns (row
// j of H gathers the rows of X that use column j) no partial sums are needed, but
// a transposed copy is, and each row of X is read once for each of its values.
type hessian struct {
	size   int         // d, or d+1 with a bias
	dense  bool        // rows are added as if they used every column
	lower  []float64   // size*size, row-major
	parts  [][]float64 // partial sums; the first is lower itself
	factor vec.Cholesky
}

// gramRows is the number of rows that are copied with their zeros at a time.
// It does not enter the results.
const gramRows = 960

// mostPartial bounds the partial sums together: 512 MB.
const mostPartial = 1 << 26

// newHessian makes room.
func newHessian(p *problem.Linear) *hessian {
	size := hessianSize(p)
	m := &hessian{size: size, lower: make([]float64, size*size)}
	m.parts = append(m.parts, m.lower)
	m.fit(p)
	return m
}

// hessianSize returns the number of columns of H.
func hessianSize(p *problem.Linear) int {
	_, d := p.Dims()
	if p.Bias != problem.None {
		return d + 1
	}
	return d
}

// fit prepares for other rows. The number of partial sums is a function of counts
// alone: each must be cheap against the outer products that go into it, in time and
// memory. About the square root of what the products cost against clearing and adding
// a part is what several cores like best, and a power of two what they share evenly.
func (m *hessian) fit(p *problem.Linear) {
	n, _ := p.Dims()
	m.dense = denseEnough(p)
	long := p.Nonzeros/int64(n) + 1
	if m.dense {
		long = int64(m.size)
	}
	work := int64(n) * long * long
	square := int64(m.size)*int64(m.size) + 1
	most := max(1, min(8, int64(n/blockRows), mostPartial/square))
	count := 1
	for int64(2*count) <= most && 6*square*int64(count)*int64(count) <= work { // the power of two next to the root
		count *= 2
	}
	for len(m.parts) < count {
		m.parts = append(m.parts, make([]float64, m.size*m.size))
	}
	m.parts = m.parts[:count]
}

// denseEnough reports whether rows are added as if they used every column: from
// a share of 0.3 of the columns on, more where there are few. Both ways were found
// to cost the same at a share of 0.8 with 20 columns, 0.6 with 54, 0.45 with 120,
// 0.32 with 300 and 0.3 with 784 (AVX-512).
func denseEnough(p *problem.Linear) bool {
	n, d := p.Dims()
	return 10*p.Nonzeros >= int64(n)*int64(3*d+100)
}

// form sets H for the row weights c.
func (m *hessian) form(p *problem.Linear, c []float64) {
	n := len(c)
	rows := (n + len(m.parts) - 1) / len(m.parts)
	spare := max(1, parallel.Cores(p.Threads)/len(m.parts))
	parallel.Blocks(len(m.parts), 1, p.Threads, func(k, _, _ int) {
		clear(m.parts[k])
		lo, hi := min(k*rows, n), min((k+1)*rows, n)
		if m.dense {
			m.addDense(m.parts[k], p.X, c, lo, hi, spare)
		} else {
			m.addSparse(m.parts[k], p.X, c, lo, hi)
		}
	})
	parallel.Blocks(m.size, 16, p.Threads, func(_, lo, hi int) {
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
	if s, ok := x.(*matrix.CSR); ok {
		vec.SparseOuters(h, m.size, c[lo:hi], s.Start[lo:hi+1], s.Index, s.Value, values)
	} else {
		all := make([]uint32, d)
		for j := range all {
			all[j] = uint32(j)
		}
		for i := lo; i < hi; i++ {
			v := x.Row(i)
			column := v.Index
			if column == nil {
				column = all
			}
			vec.SparseOuters(h, m.size, c[i:i+1], []int64{0, int64(len(v.Value))}, column, v.Value, values)
		}
	}
	if m.size > d {
		row := h[d*m.size:]
		matrix.AddRows(row[:d], x, lo, c[lo:hi])
		for _, c := range c[lo:hi] {
			row[d] += c
		}
	}
}

// addDense is addSparse with the zeros, on at most threads cores.
func (m *hessian) addDense(h []float64, x matrix.Matrix, c []float64, lo, hi, threads int) {
	_, d := x.Dims()
	rows := vec.Block[float32]{Value: make([]float32, min(gramRows, hi-lo)*m.size), Cols: m.size, Stride: m.size}
	weight := make([]float64, 0, gramRows)
	for i := lo; i < hi; i++ {
		if c[i] != 0 {
			fill(rows.Value[len(weight)*m.size:][:m.size], x.Row(i), d)
			weight = append(weight, c[i])
		}
		if len(weight) == gramRows || i == hi-1 {
			rows.Rows = len(weight)
			vec.WeightedGram(vec.Block[float64]{Value: h, Rows: m.size, Cols: m.size, Stride: m.size}, weight, rows, threads)
			weight = weight[:0]
		}
	}
}

// fill sets dst to the row of d columns and, if there is room, a one.
func fill(dst []float32, row matrix.Vector, d int) {
	if len(dst) > d {
		dst[d] = 1
	}
	if row.Index == nil {
		copy(dst, row.Value)
		return
	}
	clear(dst[:d])
	for k, j := range row.Index {
		dst[j] = row.Value[k]
	}
}

// alone is the number of columns up to which one core factors H: waiting for the others
// takes as long as they save.
const alone = 512

// decompose replaces H by its factor.
func (m *hessian) decompose(p *problem.Linear) {
	threads := p.Threads
	if m.size <= alone {
		threads = 1
	}
	m.factor.Decompose(m.lower, m.size, threads)
}

// solve sets x to -H^-1 g, after decompose; without a bias the last number of x stays.
func (m *hessian) solve(x, g []float64) {
	x = x[:m.size]
	for j := range x {
		x[j] = -g[j]
	}
	m.factor.Solve(x, x)
}
