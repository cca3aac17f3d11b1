// Package hessian holds the matrix of second-order steps for linear predictors,
//
//	H = X^T diag(c) X + lambda I,  one curvature c_i for each row
//
// formed and factored (matrix.go), as something that only vectors are multiplied by
// (conjugate.go), and what either costs (work.go). It knows no method: curvatures come from
// those that ask. It imports package internal/solve/parts and rooms above it.
package hessian

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// A Matrix is H = X^T diag(c) X + lambda I over the columns and, if there is a
// bias, a last column of ones; only its lower triangle counts.
//
// Rows are added as outer products in a fixed number of partial sums that are
// added up in order: sparse ones element by element, dense ones as a product of
// matrices, for which blocks of rows are copied with their zeros. By columns (row
// j of H gathers the rows of X that use column j) no partial sums are needed, but
// a transposed copy is, and each row of X is read once for each of its values.
type Matrix struct {
	size   int         // d, or d+1 with a bias
	dense  bool        // rows are added as if they used every column
	lower  []float64   // size*size, row-major
	parts  [][]float64 // partial sums; the first is lower itself
	factor lapack.Cholesky
}

// gramRows is the number of rows that are copied with their zeros at a time.
// It does not enter the results.
const gramRows = 960

// mostPartial bounds the partial sums together: 512 MB.
const mostPartial = 1 << 26

// New makes a matrix for the rows of p, in memory of its own or, unless it is nil, in room: the
// square of as many numbers as H has columns. Form sets the lower triangle there, by rows.
func New(p *problem.Linear, room []float64) *Matrix {
	size := sizeOf(p)
	if room == nil {
		room = make([]float64, size*size)
	}
	m := &Matrix{size: size, lower: room, parts: [][]float64{room}}
	m.Fit(p)
	return m
}

// sizeOf returns the number of columns of H.
func sizeOf(p *problem.Linear) int {
	_, d := p.Dims()
	if p.Bias != problem.None {
		return d + 1
	}
	return d
}

// Fit prepares for the rows of p, in the same columns. The number of partial sums is a function of counts
// alone: each must be cheap against the outer products that go into it, in time and
// memory. About the square root of what the products cost against clearing and adding
// a part is what several cores like best, and a power of two what they share evenly.
func (m *Matrix) Fit(p *problem.Linear) {
	n, _ := p.Dims()
	m.dense = Dense(p)
	long := p.Nonzeros/int64(n) + 1
	if m.dense {
		long = int64(m.size)
	}
	work := int64(n) * long * long
	square := int64(m.size)*int64(m.size) + 1
	most := max(1, min(8, int64(n/parts.BlockRows), mostPartial/square))
	count := 1
	for int64(2*count) <= most && 6*square*int64(count)*int64(count) <= work { // the power of two next to the root
		count *= 2
	}
	for len(m.parts) < count {
		m.parts = append(m.parts, make([]float64, m.size*m.size))
	}
	m.parts = m.parts[:count]
}

// Form sets H for the row weights c, one for each row of p.
func (m *Matrix) Form(p *problem.Linear, c []float64) {
	m.Sum(p, c)
	Regularise(m.lower, m.size, p.Penalised(), p.Lambda)
}

// Regularise adds lambda to the diagonal of the columns that the penalty sees, the first.
func Regularise(lower []float64, size, penalised int, lambda float64) {
	for j := range size {
		if j < penalised {
			lower[j*size+j] += lambda
		} else { // a free bias, on which perhaps no row is curved: the curvatures are about 1
			lower[j*size+j] += 1e-12
		}
	}
}

// Sum returns X^T diag(c) X, of which the lower triangle counts, by rows; it changes with the next.
func (m *Matrix) Sum(p *problem.Linear, c []float64) []float64 {
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
		}
	})
	return m.lower
}

// addSparse adds c_i x_i x_i^T of rows lo to hi to h, one row after the other.
func (m *Matrix) addSparse(h []float64, x matrix.Matrix, c []float64, lo, hi int) {
	_, d := x.Dims()
	values := make([]float64, d)
	switch s := x.(type) {
	case *matrix.CSR:
		vec.SparseOuters(h, m.size, c[lo:hi], s.Start[lo:hi+1], s.Index, s.Value, values)
	case *matrix.Dense:
		height := min(hi-lo, gramRows)
		start, column := everyColumn(height, d)
		for from := lo; from < hi; from += height {
			end := min(from+height, hi)
			vec.SparseOuters(h, m.size, c[from:end], start[:end-from+1], column[:(end-from)*d], s.Value[from*d:end*d], values)
		}
	default:
		_, all := everyColumn(1, d)
		double := matrix.IsDouble(x)
		for i := lo; i < hi; i++ {
			v := x.Row(i)
			column := v.Index
			if column == nil {
				column = all
			}
			if double {
				vec.SparseOuter64(h, m.size, c[i], column, matrix.Values(nil, x, i))
				continue
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

// everyColumn returns where rows of all d columns begin, and these columns.
func everyColumn(rows, d int) (start []int64, column []uint32) {
	start, column = make([]int64, rows+1), make([]uint32, rows*d)
	for i := range min(d, len(column)) {
		column[i] = uint32(i)
	}
	for i := d; i < len(column); i += copy(column[i:], column[:i]) {
	}
	for i := range start {
		start[i] = int64(i * d)
	}
	return start, column
}

// addDense is addSparse with the zeros, on at most threads cores.
func (m *Matrix) addDense(h []float64, x matrix.Matrix, c []float64, lo, hi, threads int) {
	_, d := x.Dims()
	sums := blas.Block[float64]{Value: h, Rows: m.size, Cols: m.size, Stride: m.size}
	if matrix.IsDouble(x) {
		m.addDouble(sums, x, c, lo, hi, threads)
		return
	}
	if whole, ok := x.(*matrix.Dense); ok && mostly(c[lo:hi]) {
		blas.WeightedGram(sums, c[lo:hi], blas.Block[float32]{Value: whole.Value[lo*d : hi*d], Rows: hi - lo, Cols: d, Stride: d}, threads)
		return
	}
	rows := blas.Block[float32]{Value: make([]float32, min(gramRows, hi-lo)*m.size), Cols: m.size, Stride: m.size}
	weight := make([]float64, 0, gramRows)
	for i := lo; i < hi; i++ {
		if c[i] != 0 {
			fill(rows.Value[len(weight)*m.size:][:m.size], x.Row(i), d)
			weight = append(weight, c[i])
		}
		if len(weight) == gramRows || i == hi-1 {
			rows.Rows = len(weight)
			blas.WeightedGram(sums, weight, rows, threads)
			weight = weight[:0]
		}
	}
}

// addDouble is addDense of rows of double precision.
func (m *Matrix) addDouble(sums blas.Block[float64], x matrix.Matrix, c []float64, lo, hi, threads int) {
	_, d := x.Dims()
	height, one := min(gramRows, hi-lo), []float64{1}
	rows := blas.Block[float64]{Value: make([]float64, height*m.size), Cols: m.size, Stride: m.size}
	weighted := blas.Block[float64]{Value: make([]float64, height*m.size), Cols: m.size, Stride: m.size}
	for ; lo < hi; lo += height {
		rows.Rows = min(height, hi-lo)
		weighted.Rows = rows.Rows
		for k := range rows.Rows {
			row := rows.Value[k*m.size : (k+1)*m.size]
			if value := matrix.Values(nil, x, lo+k); len(value) == d {
				copy(row, value)
			} else {
				clear(row)
				matrix.AddRows(row[:d], x, lo+k, one)
			}
			if m.size > d {
				row[d] = 1
			}
			vec.ScaledAdd(weighted.Value[k*m.size:(k+1)*m.size], 0, c[lo+k], row)
		}
		blas.GemmColsLower64(sums, weighted, rows, new(blas.Room), threads)
	}
}

// mostly reports whether so many of the weights are not 0 that it costs more to leave rows out.
func mostly(c []float64) bool {
	used := 0
	for _, c := range c {
		if c != 0 {
			used++
		}
	}
	return 4*used >= 3*len(c)
}

// fill sets dst to the row of d columns and, if there is room, a one.
func fill(dst []float32, row matrix.Vector, d int) {
	if len(dst) > d {
		dst[d] = 1
	}
	row.CopyTo(dst[:d])
}

// alone is the number of columns up to which one core factors H: waiting for the others
// takes as long as they save.
const alone = 512

// Decompose replaces H by its Cholesky factor.
func (m *Matrix) Decompose(p *problem.Linear) {
	threads := p.Threads
	if m.size <= alone {
		threads = 1
	}
	m.factor.Decompose(m.lower, m.size, threads)
}

// Solve sets x to -H^-1 g, after Decompose; without a bias the last number of x stays.
func (m *Matrix) Solve(x, g []float64) {
	x = x[:m.size]
	for j := range x {
		x[j] = -g[j]
	}
	m.factor.Solve(x, x)
}

// Stiffen adds v to the first numbers of the diagonal, after Form and before Decompose.
func (m *Matrix) Stiffen(v []float64) {
	for j, x := range v {
		m.lower[j*m.size+j] += x
	}
}
