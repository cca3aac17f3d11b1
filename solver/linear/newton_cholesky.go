package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// cholesky turns the lower triangle of a symmetric matrix, row-major, into L
// with L L^T = A, in its place (blocked, right-looking: LAPACK's potrf).
//
// Each element is a chain of subtractions in the order of columns, whatever
// the threads, so the bits are the same everywhere. gonum's Cholesky was
// rejected for that: its assembly and its Go code add in different orders.
//
// A pivot that rounding has eaten (A is positive definite, but perhaps by less
// than its rounding errors) is raised to the size of those errors.
type cholesky struct {
	size int
	l    []float64
}

// panel is the number of columns that are eliminated together. It does not
// enter the results.
const panel = 48

// decompose sets the factor of the matrix in l, which it overwrites.
func (f *cholesky) decompose(l []float64, size, threads int) {
	f.l, f.size = l, size
	least := make([]float64, size) // pivots below are rounding errors
	for j := range least {
		least[j] = float64(float64(size+8) * 0x1p-52 * l[j*size+j])
	}
	for from := 0; from < size; from += panel {
		to := min(from+panel, size)
		f.eliminate(from, to, from, to, least)
		rest := size - to
		matrix.Blocks(rest, 16, threads, func(_, lo, hi int) {
			f.eliminate(from, to, to+lo, to+hi, least)
		})
		matrix.Blocks(rest, 16, threads, func(_, lo, hi int) {
			f.update(from, to, to, to+lo, to+hi)
		})
	}
}

// eliminate finishes columns from to to of the rows lo to hi.
func (f *cholesky) eliminate(from, to, lo, hi int, least []float64) {
	for i := lo; i < hi; i++ {
		row := f.l[i*f.size+from : i*f.size+min(to, i+1)]
		for k := range row {
			other := f.l[(from+k)*f.size+from : (from+k)*f.size+to]
			x := row[k]
			for m, y := range row[:k] {
				x -= float64(y * other[m])
			}
			switch {
			case from+k < i:
				row[k] = x / other[k]
			case x > least[i]:
				row[k] = math.Sqrt(x)
			default:
				row[k] = math.Sqrt(least[i])
			}
		}
	}
}

// update subtracts the products of columns from to to from the columns start
// and above of the rows lo to hi, two by two.
func (f *cholesky) update(from, to, start, lo, hi int) {
	n := f.size
	for i := lo; i < hi; i += 2 {
		second := min(i+1, hi-1)
		a, b := f.l[i*n+from:i*n+to], f.l[second*n+from:second*n+to]
		for j := start; j <= second; j += 2 {
			next := min(j+1, second)
			c, d := f.l[j*n+from:j*n+to], f.l[next*n+from:next*n+to]
			f.tile(i, second, j, next, a, b, c, d)
		}
	}
}

// tile subtracts <a,c>, <a,d>, <b,c>, <b,d> from the elements (i,j), (i,k),
// (m,j), (m,k).
func (f *cholesky) tile(i, m, j, k int, a, b, c, d []float64) {
	n := f.size
	s, t, u, v := f.l[i*n+j], f.l[i*n+k], f.l[m*n+j], f.l[m*n+k]
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	for p, x := range a {
		y, z, w := b[p], c[p], d[p]
		s -= float64(x * z)
		t -= float64(x * w)
		u -= float64(y * z)
		v -= float64(y * w)
	}
	f.l[i*n+j], f.l[i*n+k], f.l[m*n+j], f.l[m*n+k] = s, t, u, v
}

// solve sets x to -A^-1 g, with size numbers of each.
func (f *cholesky) solve(x, g []float64) {
	n := f.size
	for i := range n {
		row := f.l[i*n : i*n+i+1]
		sum := -g[i]
		for j, l := range row[:i] {
			sum -= float64(l * x[j])
		}
		x[i] = sum / row[i]
	}
	for i := n - 1; i >= 0; i-- {
		row := f.l[i*n : i*n+i+1]
		x[i] /= row[i]
		for j, l := range row[:i] {
			x[j] -= float64(l * x[i])
		}
	}
}
