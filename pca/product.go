package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
)

// Products of all rows with a few vectors: what methods are made of that ride on
// matrix products. Rows are visited a stripe at a time, so that nothing is formed
// that has more than a stripe's elements; sparse ones stay sparse, for
//
//	R Q^T = X (Q F)^T - 1 (Q F o)^T,      P^T R = (P^T X - (P^T 1) o^T) F,
//
// with o = Offset and F = diag(Factor). Of every element the order of the terms is
// fixed by the sizes alone, so the bits are the same for any number of threads.

// Times sets dst, n x m, to R Q^T, where the rows of q, m x d, are the vectors.
func (r Rows) Times(dst, q []float64, m, threads int) {
	p := newProduct(r, m, threads)
	right := p.right(q)
	p.stripes(func(s *stripe, lo, hi int) { s.times(dst[lo*m:hi*m], right, threads) })
}

// TransposedTimes sets dst, m x d, to P^T R, where p is n x m.
func (r Rows) TransposedTimes(dst, p []float64, m, threads int) {
	product := newProduct(r, m, threads)
	sum := product.sum()
	product.stripes(func(s *stripe, lo, hi int) { sum.add(s, p[lo*m:hi*m], threads) })
	sum.copyTo(dst)
}

// Power sets dst, m x d, to Q R^T R: m steps of the power method at one look at
// the rows.
func (r Rows) Power(dst, q []float64, m, threads int) {
	p := newProduct(r, m, threads)
	right, sum := p.right(q), p.sum()
	var y []float64
	p.stripes(func(s *stripe, lo, hi int) {
		y = zeros(y, (hi-lo)*m)
		s.times(y, right, threads)
		sum.add(s, y, threads)
	})
	sum.copyTo(dst)
}

// A product is what all stripes of one have in common.
type product struct {
	of         Rows
	rows, cols int
	m          int
	sparse     bool
	threads    int
}

func newProduct(r Rows, m, threads int) product {
	rows, cols := r.Dims()
	return product{of: r, rows: rows, cols: cols, m: m, sparse: isSparse(r.X), threads: threads}
}

// isSparse reports whether all rows are.
func isSparse(x matrix.Matrix) bool {
	rows, _ := x.Dims()
	for i := range rows {
		if x.Row(i).Index == nil {
			return false
		}
	}
	return rows > 0
}

// stripeElements is how many numbers a dense stripe has, stripeRows how many rows
// a stripe has at most and at least.
const (
	stripeElements      = 1 << 20
	leastRows, mostRows = 16, 4096
)

// stripes calls do for one stripe after another.
func (p product) stripes(do func(s *stripe, lo, hi int)) {
	height := mostRows
	if !p.sparse {
		height = min(max(stripeElements/max(p.cols, 1), leastRows), mostRows)
	}
	s := &stripe{sparse: p.sparse}
	for lo := 0; lo < p.rows; lo += height {
		hi := min(lo+height, p.rows)
		s.set(p.of, lo, hi, p.threads)
		do(s, lo, hi)
	}
}
