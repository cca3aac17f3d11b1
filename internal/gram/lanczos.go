package gram

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/lapack"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// lanczosSteps is how many products with a matrix the estimate of its smallest
// eigenvalue takes.
const lanczosSteps = 40

// smallest returns an estimate from above of the smallest eigenvalue, up to roundings:
// the smallest Ritz value of some steps of Lanczos's method, whose vectors are made
// orthogonal to all before (Golub and Van Loan 10.3.1).
func (a *lower) smallest() float64 {
	n := a.n
	v := make([]float64, n)
	for i := range v { // numbers between 1 and 2 that look like random ones
		h := uint64(i+1) * 0x9e3779b97f4a7c15
		h = (h ^ h>>29) * 0xbf58476d1ce4e5b9
		v[i] = 1 + float64(h>>11)*0x1p-53
		if h&1 != 0 {
			v[i] = -v[i]
		}
	}
	var basis [][]float64
	var diagonal, squares []float64
	squared := vec.SquaredNorm64(v)
	for range min(n, lanczosSteps) {
		u := make([]float64, n)
		vec.Axpy64(u, 1/math.Sqrt(squared), v)
		basis = append(basis, u)
		a.multiply(v, u)
		diagonal = append(diagonal, vec.Dot64(u, v))
		for range 2 { // once leaves roundings of the largest part
			for _, b := range basis {
				vec.Axpy64(v, -vec.Dot64(b, v), b)
			}
		}
		squares = append(squares, squared)
		squared = vec.SquaredNorm64(v)
		if !(squared > float64(roundoff*roundoff*a.trace*a.trace)) {
			break // the vectors so far span an invariant subspace
		}
	}
	n = len(diagonal)
	t, values := make([]float64, n*n), make([]float64, n)
	for i, d := range diagonal {
		if t[i*n+i] = d; i > 0 {
			beside := math.Sqrt(squares[i])
			t[i*n+i-1], t[(i-1)*n+i] = beside, beside
		}
	}
	lapack.Eigen(values, nil, t, n, 1)
	return values[n-1]
}
