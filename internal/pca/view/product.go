package view

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Products of all rows with a few vectors: what methods are made of that ride on
// matrix products. Rows are visited a stripe at a time and X is multiplied as it
// is, so that sparse rows stay sparse, for
//
//	R Q^T = X (Q F)^T - 1 (Q F o)^T,      P^T R = (P^T X - (P^T 1) o^T) F,
//
// with o = Offset and F = diag(Factor). Dense rows with an offset are moved before
// they are multiplied, which leaves less rounding. Of every element the order of the terms is
// fixed by the sizes alone, so the bits are the same for any number of threads.

// Times sets dst, n x m, to R Q^T, where the rows of q, m x d, are the vectors.
func (r Rows) Times(dst, q []float64, m, threads int) {
	newProduct(r, m, threads, false).Times(dst, q)
}

// TransposedTimes sets dst, m x d, to P^T R, where p is n x m.
func (r Rows) TransposedTimes(dst, p []float64, m, threads int) {
	product := newProduct(r, m, threads, false)
	_ = product.each(context.Background(), func(lo, hi int) { product.add(p[lo*m : hi*m]) })
	product.sum(dst)
}

// Power sets dst, m x d, to Q R^T R: a step of the power method for each row of q
// in one pass over the rows.
func (r Rows) Power(dst, q []float64, m, threads int) {
	_ = newProduct(r, m, threads, false).power(context.Background(), dst, q)
}

// QuickPower is Power that never moves rows: the offset is taken off the products.
// Of a feature whose mean is a deviations from 0 the error is about a 2^-50.
func (r Rows) QuickPower(dst, q []float64, m, threads int) {
	_ = newProduct(r, m, threads, true).power(context.Background(), dst, q)
}

// Times sets dst, n x m, to R Q^T.
func (p *Product) Times(dst, q []float64) {
	p.right(q)
	_ = p.each(context.Background(), func(lo, hi int) { p.times(dst[lo*p.m : hi*p.m]) })
}

// power fails where ctx ends.
func (p *Product) power(ctx context.Context, dst, q []float64) error {
	p.right(q)
	var y []float64
	err := p.each(ctx, func(lo, hi int) {
		y = algebra.Sized(y, (hi-lo)*p.m)
		p.times(y)
		p.add(y)
	})
	p.sum(dst)
	return err
}

// Both sets y, n x m, to R Q^T and image, m x d, to its transpose times R.
func (p *Product) Both(y, image, q []float64) {
	p.right(q)
	_ = p.each(context.Background(), func(lo, hi int) {
		p.times(y[lo*p.m : hi*p.m])
		p.add(y[lo*p.m : hi*p.m])
	})
	p.sum(image)
}

// stripes are rows of X by the stripe, to be multiplied with m vectors.
type stripes interface {
	height() int // rows of a stripe
	set(lo, hi int)
	right(q []float64)   // the m vectors
	times(dst []float64) // dst = X Q^T
	add(p []float64)     // the sum grows by P^T X
	sum(dst []float64)
}

// A Product is stripes with offset and factor.
type Product struct {
	stripes
	of      Rows
	rows, m int       // rows: of the stripe
	q       []float64 // scratch: the vectors times Factor
	shift   []float64 // their products with Offset
	count   []float64 // P^T 1
}

func newProduct(r Rows, m, threads int, quick bool) *Product {
	if !IsSparse(r.X) || matrix.IsDouble(r.X) {
		return NewFormedProduct(r, m, threads, quick || r.Offset == nil)
	}
	return productOf(r, m, newSparseStripes(r.X, m, threads))
}

// NewFormedProduct multiplies rows as dense ones, however they are stored.
func NewFormedProduct(r Rows, m, threads int, quick bool) *Product {
	if quick && !matrix.IsDouble(r.X) {
		return productOf(r, m, newDenseStripes(r, m, threads))
	}
	p := productOf(r, m, newMovedStripes(r, m, threads))
	p.of.Offset, p.of.Factor = nil, nil
	return p
}

func productOf(r Rows, m int, s stripes) *Product {
	return &Product{of: r, m: m, stripes: s, shift: make([]float64, m), count: make([]float64, m)}
}

// IsSparse reports whether all rows are.
func IsSparse(x matrix.Matrix) bool {
	rows, _ := x.Dims()
	for i := range rows {
		if x.Row(i).Index == nil {
			return false
		}
		if _, ok := x.(*matrix.CSR); ok {
			break
		}
	}
	return rows > 0
}

// each calls do for one stripe after another, until ctx ends.
func (p *Product) each(ctx context.Context, do func(lo, hi int)) error {
	rows, _ := p.of.Dims()
	p.of.CountReads(rows, 0)
	for lo := 0; lo < rows; lo += p.height() {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+p.height(), rows)
		p.rows = hi - lo
		p.set(lo, hi)
		do(lo, hi)
	}
	return nil
}

func (p *Product) right(q []float64) {
	if p.of.Factor != nil {
		p.q = append(p.q[:0], q...)
		q = p.q
		p.of.multiply(q)
	}
	if p.of.Offset != nil {
		d := len(p.of.Offset)
		for l := range p.m {
			p.shift[l] = vec.Dot64(q[l*d:(l+1)*d], p.of.Offset)
		}
	}
	p.stripes.right(q)
}

func (p *Product) times(dst []float64) {
	p.stripes.times(dst)
	if p.of.Offset == nil {
		return
	}
	for i := range p.rows {
		vec.Axpy64(dst[i*p.m:(i+1)*p.m], -1, p.shift)
	}
}

func (p *Product) add(y []float64) {
	p.stripes.add(y)
	if p.of.Offset == nil {
		return
	}
	for i := range p.rows {
		vec.Axpy64(p.count, 1, y[i*p.m:(i+1)*p.m])
	}
}

func (p *Product) sum(dst []float64) {
	p.stripes.sum(dst)
	if p.of.Offset != nil {
		d := len(p.of.Offset)
		for l, count := range p.count {
			vec.Axpy64(dst[l*d:(l+1)*d], -count, p.of.Offset)
		}
	}
	p.of.multiply(dst)
}
