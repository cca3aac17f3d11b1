package pca

import "github.com/fenchel-ml/fenchel/matrix"

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
	p := r.product(m, threads)
	p.right(q)
	r.stripes(p, func(lo, hi int) { p.times(dst[lo*m : hi*m]) })
}

// TransposedTimes sets dst, m x d, to P^T R, where p is n x m.
func (r Rows) TransposedTimes(dst, p []float64, m, threads int) {
	product := r.product(m, threads)
	r.stripes(product, func(lo, hi int) { product.add(p[lo*m : hi*m]) })
	product.sum(dst)
}

// Power sets dst, m x d, to Q R^T R: a step of the power method for each row of q
// at one look at the rows.
func (r Rows) Power(dst, q []float64, m, threads int) { r.power(r.product(m, threads), dst, q) }

// power32 is Power with dense rows in single precision. Where that is not enough,
// because of very large or small numbers, dst is not finite or tiny.
func (r Rows) power32(dst, q []float64, m, threads int) {
	var p product = newDenseProduct[float32](r, m, threads)
	if isSparse(r.X) {
		p = newSparseProduct(r, m, threads)
	}
	r.power(p, dst, q)
}

func (r Rows) power(p product, dst, q []float64) {
	p.right(q)
	r.stripes(p, func(_, _ int) { p.power() })
	p.sum(dst)
}

// A product is of rows with m vectors, a stripe at a time.
type product interface {
	height() int    // rows of a stripe
	set(lo, hi int) // goes to rows lo to hi
	right(q []float64)
	times(dst []float64) // dst = R Q^T
	add(p []float64)     // the sum grows by P^T R
	power()              // the sum grows by Q R^T R
	sum(dst []float64)
}

func (r Rows) product(m, threads int) product {
	if isSparse(r.X) {
		return newSparseProduct(r, m, threads)
	}
	return newDenseProduct[float64](r, m, threads)
}

// isSparse reports whether all rows are.
func isSparse(x matrix.Matrix) bool {
	switch x := x.(type) {
	case *matrix.Dense:
		return false
	case *matrix.CSR:
		return len(x.Start) > 1
	}
	rows, _ := x.Dims()
	for i := range rows {
		if x.Row(i).Index == nil {
			return false
		}
	}
	return rows > 0
}

// stripes calls do for one stripe after another.
func (r Rows) stripes(p product, do func(lo, hi int)) {
	rows, _ := r.Dims()
	for lo := 0; lo < rows; lo += p.height() {
		hi := min(lo+p.height(), rows)
		p.set(lo, hi)
		do(lo, hi)
	}
}

// sized returns n numbers of any value in the memory of x, if there is enough.
func sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n, n+n/4)
	}
	return x[:n]
}
