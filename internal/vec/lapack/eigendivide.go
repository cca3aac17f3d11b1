package lapack

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// Divide and conquer (Cuppen 1981; LAPACK's stedc): a tridiagonal matrix is two of half the size and
// one of rank one across them,
//
//	T = diag(T1, T2) + rho u u^T,   u = e_last of T1 and +-e_first of T2,
//
// so with the eigenvectors of both it is diag(d) + rho z z^T (see [Eigensystem.DecomposeRankOne]), whose
// eigenvectors times theirs are those of T: matrix products, of the rows of z that are not negligible.
//
// Without vectors the same numbers are computed of two columns alone, of which z is made: the first and
// the last of each half.

// leafRows is up to how many rows QR steps take.
const leafRows = 32

// A merging is the last of two halves whose vectors are not multiplied yet.
type merging struct {
	lo, mid, hi int
	support     []uint8   // of each row of q: 1 in the first half of columns, 2 in the second
	z           []float64 // then scratch
	rows        []int     // that are kept, by support
	roots       []int
	s, b        []float64 // eigenvectors of the roots as columns, and the rows of q that they are of
}

// divide makes rows lo to hi of the tridiagonal matrix diagonal, with all vectors in q or only what z
// takes; of the whole the vectors remain to be multiplied.
func (e *Eigensystem) divide(lo, hi int, vectors bool, threads int) {
	n, d := hi-lo, e.reduction.diagonal
	if n <= leafRows {
		e.leaf(lo, hi, vectors)
		return
	}
	mid := lo + n/2
	beside := e.reduction.beside[mid-1]
	rho := math.Abs(beside)
	d[mid-1] -= rho
	d[mid] -= rho
	for _, half := range [][2]int{{lo, mid}, {mid, hi}} {
		e.divide(half[0], half[1], vectors, threads)
		if half[1]-half[0] > leafRows {
			e.multiply(nil, vectors, threads)
		}
	}
	e.merge(lo, mid, hi, rho, math.Copysign(1, beside), vectors, threads)
}

// leaf is divide by QR steps.
func (e *Eigensystem) leaf(lo, hi int, vectors bool) {
	at, cols, last := lo*e.stride, 2, 1
	if vectors {
		at, cols, last = at+lo, hi-lo, hi-lo-1
	}
	for i := lo; i < hi; i++ {
		row := e.q[at+(i-lo)*e.stride:][:cols]
		clear(row)
		if vectors {
			row[i-lo] = 1
		}
	}
	e.q[at], e.q[at+(hi-lo-1)*e.stride+last] = 1, 1
	e.iterate(lo, hi, e.q[at:], e.stride, cols)
}

// columns returns where the halves of the rows of a merging are in q.
func (m *merging) columns(vectors bool) (first, mid, after int) {
	if vectors {
		return m.lo, m.mid, m.hi
	}
	return 0, 1, 2
}

// merge finds the eigenvalues of two halves.
func (e *Eigensystem) merge(lo, mid, hi int, rho, sign float64, vectors bool, threads int) {
	m, s, d := &e.merging, &e.secular, e.reduction.diagonal[lo:hi]
	m.lo, m.mid, m.hi = lo, mid, hi
	m.support, m.z = resized(m.support, hi-lo), resized(m.z, hi-lo)
	first, between, after := m.columns(vectors)
	for i := range d {
		row := e.q[(lo+i)*e.stride:]
		m.support[i] = 1
		if lo+i >= mid {
			m.support[i] = 2
		}
		switch {
		case vectors && lo+i < mid:
			m.z[i] = row[between-1]
		case vectors:
			m.z[i] = float64(sign * row[between])
		case lo+i < mid:
			m.z[i], row[1] = row[1], 0
		default:
			m.z[i], row[0] = float64(sign*row[0]), 0
		}
	}
	up, _ := s.begin(d, rho, m.z)
	s.deflate()
	s.solve(threads)
	for _, t := range s.turned {
		p, q := s.order[t.p], s.order[t.q]
		rotation{t.c, t.s}.apply(e.q[(lo+q)*e.stride:][first:after], e.q[(lo+p)*e.stride:][first:after])
		m.support[p] |= m.support[q]
		m.support[q] = m.support[p]
	}
	for _, i := range s.deflated {
		d[s.order[i]] = up.times(s.d[i])
	}
	for j, i := range s.kept {
		d[s.order[i]] = up.times(s.root[j])
	}
}

// multiply makes the rows of q those of the merged halves, where they are wanted: nil, all.
func (e *Eigensystem) multiply(wanted []bool, vectors bool, threads int) {
	m, s := &e.merging, &e.secular
	first, mid, after := m.columns(vectors)
	width := after - first
	left, mixed := e.choose(wanted)
	kept, roots := len(m.rows), len(m.roots)
	m.s, m.b = resized(m.s, kept*roots), resized(m.b, kept*width)
	parallel.Blocks(roots, 8, threads, func(_, lo, hi int) {
		for _, j := range m.roots[lo:hi] {
			s.vector(j)
		}
		for at, l := range m.rows {
			for to, j := range m.roots[lo:hi] {
				m.s[at*roots+lo+to] = s.gap[j*kept+l]
			}
		}
	})
	row := func(l int) []float64 { return e.q[(m.lo+s.order[s.kept[l]])*e.stride:][first:after] }
	parallel.Blocks(kept, 32, threads, func(_, lo, hi int) {
		for at := lo; at < hi; at++ {
			copy(m.b[at*width:(at+1)*width], row(m.rows[at]))
		}
	})
	s.gap = resized(s.gap, roots*width)
	parallel.Blocks(roots, 32, threads, func(_, lo, hi int) { clear(s.gap[lo*width : hi*width]) })
	half := func(rows, afterRow, col, cols int) {
		blas.GemmCols64(blas.Block[float64]{Value: s.gap[min(col, len(s.gap)):], Rows: roots, Cols: cols, Stride: width},
			blas.Block[float64]{Value: m.s[rows*roots:], Rows: afterRow - rows, Cols: roots, Stride: roots},
			blas.Block[float64]{Value: m.b[min(rows*width+col, len(m.b)):], Rows: afterRow - rows, Cols: cols, Stride: width}, threads)
	}
	half(0, left+mixed, 0, mid-first)
	half(left, kept, mid-first, after-mid)
	parallel.Blocks(roots, 32, threads, func(_, lo, hi int) {
		for to := lo; to < hi; to++ {
			copy(row(m.roots[to]), s.gap[to*width:(to+1)*width])
		}
	})
}

// choose lists the roots whose vectors are wanted, and the rows that they are of: first those with numbers
// in the first half of the columns alone, then in both.
func (e *Eigensystem) choose(wanted []bool) (left, mixed int) {
	m, s := &e.merging, &e.secular
	m.roots, m.rows = m.roots[:0], m.rows[:0]
	for j, i := range s.kept {
		if wanted == nil || wanted[m.lo+s.order[i]] {
			m.roots = append(m.roots, j)
		}
	}
	for _, support := range []uint8{1, 3, 2} {
		for l, i := range s.kept {
			if m.support[s.order[i]] == support {
				m.rows = append(m.rows, l)
			}
		}
		switch support {
		case 1:
			left = len(m.rows)
		case 3:
			mixed = len(m.rows) - left
		}
	}
	return left, mixed
}
