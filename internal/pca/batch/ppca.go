package batch

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// PPCA finds the most likely components of the numbers that are there, where some are missing, of rows
//
//	x = W z + m + e,   z ~ N(0, I_k),   e ~ N(0, s I_d),
//
// by expectation and maximisation (EM). With the rows W_o of W of the features that a row has,
//
//	E:  M = W_o^T W_o + s I,   z = M^-1 W_o^T (x_o - m_o),   Cov z = s M^-1
//	M:  (w_j, m_j) = the least squares of feature j on (z, 1) over the rows that have it,
//	    s = the mean of (x_ij - w_j z_i - m_j)^2 + w_j^T Cov z_i w_j over all numbers
//
// and then W and m are those of z that have the mean and covariance R that they were found to have, as if
// these were parameters too: W <- W R^1/2, m <- m + W mean z. Without that, passes grow in number as s falls (Liu, Rubin and
// Wu 1998, parameter expansion). It ends when W and s change by less than tol, relative to them. If rows are not centred, m stays 0. Where nothing is missing the
// components are those of [Covariance], or of [Krylov].
//
// Returned: the eigenvectors of W W^T, with its eigenvalues plus s, and the m (Basis.Shift).
// Cost of a pass: O(numbers k^2 + n k^3).
//
// Tipping and Bishop, "Probabilistic principal component analysis", JRSS B 61, 1999; Roweis 1998.
type PPCA struct {
	Tolerance float64
	Passes    int
}

func init() {
	method.Register("ppca", "most likely components of the numbers that are there, by EM, where some are missing (tol=1e-7,passes=1000)", func(p *registry.Params) (method.Method, error) {
		m := PPCA{p.Float("tol", 1e-7, "a number from 0 to 1", func(v float64) bool { return v >= 0 && v < 1 }), p.Int("passes", 1000, 1, 1e6)}
		return m, p.Err()
	})
}

// Solve is Batch's.
func (m PPCA) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	n, d := x.Dims()
	p.Loss = 0
	var first method.Method = Krylov{Tolerance: 1e-12, Steps: 1000}
	if d <= 4096 {
		first = Covariance{Precision: "double"}
	}
	b, err := first.(method.Batch).Solve(ctx, x, p)
	if err != nil || x.Missing == nil {
		return b, err
	}
	if p.K >= d || n < 2 {
		return b, fmt.Errorf("ppca: found %d components of %d features, expected fewer, as some numbers are missing", p.K, d)
	}
	e := newEM(x, b, p)
	for range m.Passes {
		if err := ctx.Err(); err != nil {
			return e.basis(), err
		}
		changed, err := e.pass()
		if err != nil {
			return method.Basis{}, err
		}
		if changed <= m.Tolerance {
			break
		}
	}
	return e.basis(), nil
}

// em is a run of EM. Vectors with a 1 at their end have width numbers.
type em struct {
	x       view.Rows
	k, n, d int
	width   int // k+1, or k where m stays 0
	threads int
	w       []float64 // (w_j, m_j), d x width
	noise   float64   // s
	sums    []float64 // of each feature: (z 1)(z 1)^T + Cov z, width x width, x (z 1), x^2, numbers; of all rows the first of these
}

func newEM(x view.Rows, b method.Basis, p method.Problem) *em {
	n, d := x.Dims()
	e := &em{x: x, k: b.K, n: n, d: d, width: b.K, threads: p.Threads}
	if x.Offset != nil {
		e.width++
	}
	e.noise = max(p.Squared-algebra.Total(b.Value), 1e-6*p.Squared) / float64(d-b.K)
	e.w = make([]float64, d*e.width)
	for i := range b.K {
		scale := math.Sqrt(max(b.Value[i]-e.noise, 1e-3*b.Value[i]))
		for j, v := range b.Row(i) {
			e.w[j*e.width+i] = v * scale
		}
	}
	e.sums = make([]float64, d*e.stride()+e.width*e.width)
	return e
}

func (e *em) stride() int { return e.width*e.width + e.width + 2 }

// pass is one step of EM: how much W and s changed, relative to them.
func (e *em) pass() (changed float64, err error) {
	e.expect()
	width, stride := e.width, e.stride()
	squares, numbers := make([]float64, e.d), 0.0
	old, noise := append([]float64{}, e.w...), e.noise
	parallel.Blocks(e.d, 16, e.threads, func(_, lo, hi int) {
		var factor lapack.Cholesky
		a := make([]float64, width*width)
		for j := lo; j < hi; j++ {
			at := e.sums[j*stride : (j+1)*stride]
			if at[stride-1] == 0 {
				continue // no row has it: nothing is known
			}
			copy(a, at)
			for i := range width {
				a[i*width+i] += 1e-12 * at[i*width+i]
			}
			factor.Decompose(a, width, 1)
			w, products := e.w[j*width:(j+1)*width], at[width*width:width*width+width]
			factor.Solve(w, products)
			// sum (x - w z)^2 + w^T Cov w = sum x^2 - 2 w^T b + w^T A w
			squares[j] = at[stride-2] - 2*vec.Dot64(w, products)
			for i, v := range w {
				squares[j] += float64(v * vec.Dot64(w, at[i*width:(i+1)*width]))
			}
		}
	})
	for j := range e.d {
		numbers += e.sums[(j+1)*stride-1]
	}
	e.noise = max(algebra.Total(squares)/numbers, 1e-14*noise)
	if math.IsNaN(e.noise) || math.IsInf(e.noise, 0) {
		return 0, method.ErrTooLarge(e.noise)
	}
	e.expand()
	size := vec.SquaredNorm64(old)
	vec.Axpy64(old, -1, e.w)
	return math.Sqrt(vec.SquaredNorm64(old)/max(size, 1e-300)) + math.Abs(e.noise-noise)/max(noise, 1e-10*size/float64(e.d)), nil
}

// expand gives the z the covariance I and the mean 0.
func (e *em) expand() {
	k, width := e.k, e.width
	second, r := e.sums[e.d*e.stride():], make([]float64, k*k)
	for i := range k {
		for l := range k {
			r[i*k+l] = second[i*width+l] / float64(e.n)
			if width > k {
				r[i*k+l] -= float64(second[i*width+k] / float64(e.n) * (second[l*width+k] / float64(e.n)))
			}
		}
	}
	var factor lapack.Cholesky
	factor.Decompose(r, k, 1)
	for j := range e.d {
		w := e.w[j*width : (j+1)*width]
		if width > k {
			for i := range k {
				w[k] += float64(w[i] * (second[i*width+k] / float64(e.n)))
			}
		}
		for i := range k { // (w^T L)_i has w_l of l >= i
			v := 0.0
			for l := i; l < k; l++ {
				v += float64(w[l] * r[l*k+i])
			}
			w[i] = v
		}
	}
}

// expect computes the sums, of blocks of rows that are added in order.
func (e *em) expect() {
	block := max(256, (e.n+15)/16)
	parts := make([][]float64, (e.n+block-1)/block)
	parallel.Blocks(e.n, block, e.threads, func(b, lo, hi int) {
		r := newEMRow(e)
		parts[b] = make([]float64, len(e.sums))
		for i := lo; i < hi; i++ {
			r.add(parts[b], i)
		}
	})
	clear(e.sums)
	for _, part := range parts {
		vec.Axpy64(e.sums, 1, part)
	}
}

// emRow is what one row needs.
type emRow struct {
	*em
	factor          lapack.Cholesky
	m, second       []float64 // M, and E (z 1)(z 1)^T
	row, z, unit, b []float64
	gone            []bool
}

func newEMRow(e *em) *emRow {
	k, w := e.k, e.width
	return &emRow{em: e, m: make([]float64, k*k), second: make([]float64, w*w), row: make([]float64, e.d), z: make([]float64, w), unit: make([]float64, k), b: make([]float64, k), gone: make([]bool, e.d)}
}

// add adds row i to sums.
func (r *emRow) add(sums []float64, i int) {
	k, width, stride := r.k, r.width, r.stride()
	r.x.Row(r.row, i)
	r.mark(i, true)
	clear(r.m)
	clear(r.b)
	for j, x := range r.row {
		if r.gone[j] {
			continue
		}
		w := r.w[j*width : (j+1)*width]
		if width > k {
			x -= w[k]
		}
		vec.Axpy64(r.b, x, w[:k])
		for l, v := range w[:k] {
			vec.Axpy64(r.m[l*k:(l+1)*k], v, w[:k])
		}
	}
	for l := range k {
		r.m[l*k+l] += r.noise
	}
	r.factor.Decompose(r.m, k, 1)
	r.factor.Solve(r.z[:k], r.b)
	if width > k {
		r.z[k] = 1
	}
	for l := range width {
		row := r.second[l*width : (l+1)*width]
		clear(row)
		if l < k {
			clear(r.unit)
			r.unit[l] = r.noise
			r.factor.Solve(row[:k], r.unit)
		}
		vec.Axpy64(row, r.z[l], r.z)
	}
	for j, x := range r.row {
		if r.gone[j] {
			continue
		}
		at := sums[j*stride : (j+1)*stride]
		vec.Axpy64(at[:width*width], 1, r.second)
		vec.Axpy64(at[width*width:width*width+width], x, r.z)
		at[stride-2] += float64(x * x)
		at[stride-1]++
	}
	vec.Axpy64(sums[r.d*stride:], 1, r.second)
	r.mark(i, false)
}

// mark notes which features row i has not.
func (r *emRow) mark(i int, gone bool) {
	for _, j := range r.x.Missing[i] {
		r.gone[j] = gone
	}
}

// basis returns the components of W.
func (e *em) basis() method.Basis {
	k, d := e.k, e.d
	rows, gram := make([]float64, k*d), make([]float64, k*k)
	for i := range k {
		for j := range d {
			rows[i*d+j] = e.w[j*e.width+i]
		}
	}
	for i := range k {
		for l := range k {
			gram[i*k+l] = vec.Dot64(rows[i*d:(i+1)*d], rows[l*d:(l+1)*d])
		}
	}
	values, vectors := make([]float64, k), make([]float64, k*k)
	lapack.Eigen(values, vectors, gram, k, 1)
	b := method.Basis{K: k, Cols: d, Component: algebra.Combine(nil, vectors, rows, k, k, d), Value: values}
	algebra.Orthonormalise(b.Component, k, d)
	for i := range values {
		values[i] = max(values[i], 0) + e.noise
	}
	if e.width > k {
		b.Shift = make([]float64, d)
		for j := range d {
			b.Shift[j] = e.w[j*e.width+k]
		}
	}
	return b
}
