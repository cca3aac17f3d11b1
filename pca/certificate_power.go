package pca

import (
	"github.com/fenchel-ml/fenchel/matrix"
)

// A power multiplies with all rows, and back, again and again: stripes of sparse
// rows are laid out once, if that does not take too much memory.
type power struct {
	x       Rows
	threads int
	stripes []*sparseProduct
}

// laidOut is how many stored numbers may be laid out: 20 bytes each.
const laidOut = 1 << 27

func newPower(x Rows, threads int) *power {
	p := &power{x: x, threads: threads}
	if n, _ := x.Dims(); isSparse(x.X) && matrix.Nonzeros(x.X) <= laidOut {
		for lo := 0; lo < n; {
			s := newSparseProduct(x, 0, threads)
			hi := min(lo+s.height(), n)
			s.set(lo, hi)
			s.next = nil
			p.stripes = append(p.stripes, s)
			lo = hi
		}
	}
	return p
}

// apply sets dst, m x d, to the rows of q times X'^T X'.
func (p *power) apply(dst, q []float64, m int) {
	if p.stripes == nil {
		p.x.Power(dst, q, m, p.threads)
		return
	}
	p.share(q, m)
	for i, s := range p.stripes {
		s.power()
		p.handOn(i)
	}
	p.stripes[len(p.stripes)-1].sum(dst)
}

// both sets y, n x m, to X' q^T and image, m x d, to y^T X'.
func (p *power) both(y, image, q []float64, m int) {
	if p.stripes == nil {
		p.x.Times(y, q, m, p.threads)
		p.x.TransposedTimes(image, y, m, p.threads)
		return
	}
	p.share(q, m)
	lo := 0
	for i, s := range p.stripes {
		part := y[lo*m : (lo+s.rows)*m]
		s.times(part)
		s.add(part)
		p.handOn(i)
		lo += s.rows
	}
	p.stripes[len(p.stripes)-1].sum(image)
}

// share prepares the first stripe for m vectors.
func (p *power) share(q []float64, m int) {
	first := p.stripes[0]
	if first.m != m {
		first.left, first.p = tiles(m, 0), nil
	}
	first.m, first.total, first.count = m, nil, nil
	first.right(q)
}

// handOn gives the next stripe what stripe i has: the vectors, the sum, and memory.
func (p *power) handOn(i int) {
	if i+1 == len(p.stripes) {
		return
	}
	from, to := p.stripes[i], p.stripes[i+1]
	to.m, to.q, to.shift, to.left, to.p = from.m, from.q, from.shift, from.left, from.p
	to.total, to.count = from.total, from.count
}
