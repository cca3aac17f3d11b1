package view

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A LaidOut multiplies with all rows, and back, again and again: stripes of sparse
// rows are laid out once, if that does not take too much memory.
type LaidOut struct {
	x       Rows
	threads int
	stripes []*sparseStripes
	y       []float64 // scratch
}

// laidOut is how many stored numbers may be laid out: 20 bytes each.
const laidOut = 1 << 27

// NewLaidOut lays out what there is room for.
func NewLaidOut(x Rows, threads int) *LaidOut {
	p := &LaidOut{x: x, threads: threads}
	if n, _ := x.Dims(); IsSparse(x.X) && matrix.Nonzeros(x.X) <= laidOut {
		for lo := 0; lo < n; {
			s := newSparseStripes(x.X, 0, threads)
			hi := min(lo+s.height(), n)
			s.set(lo, hi)
			s.transpose()
			s.next = nil
			p.stripes = append(p.stripes, s)
			lo = hi
		}
	}
	return p
}

// Apply sets dst, m x d, to the rows of q times X'^T X'.
func (p *LaidOut) Apply(dst, q []float64, m int) {
	if p.stripes == nil {
		p.x.Power(dst, q, m, p.threads)
		return
	}
	product := p.share(q, m)
	for i, s := range p.stripes {
		p.y = algebra.Sized(p.y, s.rows*m)
		p.goOn(product, i, p.y)
	}
	product.sum(dst)
}

// Both sets y, n x m, to X' q^T and image, m x d, to y^T X'.
func (p *LaidOut) Both(y, image, q []float64, m int) {
	if p.stripes == nil {
		p.x.Times(y, q, m, p.threads)
		p.x.TransposedTimes(image, y, m, p.threads)
		return
	}
	product := p.share(q, m)
	lo := 0
	for i, s := range p.stripes {
		p.goOn(product, i, y[lo*m:(lo+s.rows)*m])
		lo += s.rows
	}
	product.sum(image)
}

// share prepares the first stripe for m vectors.
func (p *LaidOut) share(q []float64, m int) *Product {
	first := p.stripes[0]
	if first.m != m {
		first.p = newTiles(m, 0)
	}
	first.m, first.total = m, nil
	product := &Product{stripes: first, of: p.x, m: m, shift: make([]float64, m), count: make([]float64, m)}
	product.right(q)
	return product
}

// goOn multiplies with stripe i, to which it gives what the one before has: the
// vectors, the sum, and memory. y receives the products.
func (p *LaidOut) goOn(product *Product, i int, y []float64) {
	s := p.stripes[i]
	if i > 0 {
		from := p.stripes[i-1]
		s.m, s.q, s.p, s.total = from.m, from.q, from.p, from.total
	}
	product.stripes, product.rows = s, s.rows
	product.times(y)
	product.add(y)
}
