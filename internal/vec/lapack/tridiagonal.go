package lapack

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Tridiagonal is a symmetric matrix A = Q T Q^T with an orthogonal Q and a
// tridiagonal T (Householder 1958; Golub and Van Loan 8.3.1). It answers for all
// A + c I at once: T + c I is solved in linear time.
//
// Every element is a chain in one order, whatever the threads, so the bits are
// the same everywhere. A full eigensystem was rejected: it costs several times
// as much, by methods of another length each time (gonum's EigenSym takes 1.4 s
// for 800 rows), and gives no more where only functions of A + c I are wanted.
type Tridiagonal struct {
	Diagonal []float64 // n numbers
	Beside   []float64 // n-1 numbers
	Q        []float64 // the transpose of Q: row k is its column k
}

// NewTridiagonal reduces the symmetric matrix a, n*n numbers, row-major, of which
// it makes scratch, on at most threads goroutines (0: as many as there are cores).
// It takes 4n^3/3 multiplications, and n^2 more numbers.
//
// Step k takes row k beyond the subdiagonal to zero by a reflection I - tau v v^T
// on both sides, which for the rest of the matrix is
//
//	B -= v w^T + w v^T,   w = p - (tau p^T v/2) v,   p = tau B v.
//
// A row is changed and multiplied by the next v while it is in the first cache.
func NewTridiagonal(a []float64, n, threads int) *Tridiagonal {
	var r reduction
	r.reduce(a, n, threads)
	t := &Tridiagonal{Diagonal: r.diagonal, Beside: r.beside, Q: make([]float64, n*n)}
	r.accumulate(t.Q, n, threads)
	return t
}

// A reduction is the work of NewTridiagonal; its memory is used again.
type reduction struct {
	a                []float64 // row k has the v of step k, right of the diagonal
	n                int
	diagonal, beside []float64
	tau, p, w        []float64
}

func (r *reduction) reduce(a []float64, n, threads int) {
	r.a, r.n = a, n
	for _, s := range []*[]float64{&r.diagonal, &r.beside, &r.tau, &r.p, &r.w} {
		*s = resized(*s, n)
	}
	r.beside = r.beside[:max(0, n-1)]
	for k := range n {
		first := a[k*n+k : k*n+n]
		if k > 0 {
			reflect(first, a[(k-1)*n+k:k*n], r.w[k:], 0)
		}
		r.diagonal[k], r.tau[k] = first[0], 0
		v := first[1:]
		if len(v) > 0 {
			r.beside[k], r.tau[k] = householder(v)
		}
		r.passes(k, threads)
		if len(v) > 0 {
			half := r.tau[k] / 2 * vec.Dot64(r.p[k+1:], v)
			copy(r.w[k+1:], r.p[k+1:])
			vec.Axpy64(r.w[k+1:], -half, v)
		}
	}
}

// passes is the pass over all rows below k. Few rows are not worth a goroutine.
func (r *reduction) passes(k, threads int) {
	if rest := r.n - k; rest < 64 || threads == 1 {
		r.pass(k, k+1, r.n)
		return
	}
	parallel.Each((r.n-k-1+rowsOfPass-1)/rowsOfPass, threads, func(_, block int) {
		lo := k + 1 + block*rowsOfPass
		r.pass(k, lo, min(lo+rowsOfPass, r.n))
	})
}

// pass takes the reflection before step k to the rows lo to hi, and multiplies them
// by the v of step k.
func (r *reduction) pass(k, lo, hi int) {
	a, n := r.a, r.n
	v := a[k*n+k+1 : k*n+n]
	before := a[max(0, (k-1)*n+k):][:n-k]
	for i := lo; i < hi; i++ {
		row := a[i*n+k : i*n+n]
		if k == 0 {
			r.p[i] = r.tau[k] * vec.Dot64(row[1:], v)
			continue
		}
		x, y := before[i-k], r.w[i]
		row[0] = math.FMA(-y, before[0], math.FMA(-x, r.w[k], row[0]))
		r.p[i] = r.tau[k] * reflectedDot(row[1:], r.w[k+1:n], before[1:], v, x, y)
	}
}

// reflectedDot takes x*w and y*v off the row, and returns its product with next;
// all have the same length.
func reflectedDot(row, w, v, next []float64, x, y float64) float64 {
	vec.Axpy64(row, -x, w)
	vec.Axpy64(row, -y, v)
	return vec.Dot64(row, next)
}

// rowsOfPass is how many rows a goroutine takes at a time. It does not enter
// the results.
const rowsOfPass = 16

// reflect takes row i of v w^T + w v^T off a row.
func reflect(row, v, w []float64, i int) {
	vec.Axpy64(row, -v[i], w)
	vec.Axpy64(row, -w[i], v)
}

// householder replaces x by the v of the reflection I - tau v v^T that takes it to
// (end, 0, ..., 0).
func householder(x []float64) (end, tau float64) {
	largest := 0.0
	for _, e := range x[1:] {
		largest = max(largest, math.Abs(e))
	}
	if largest == 0 { // there is nothing to reflect
		end = x[0]
		x[0] = 1
		return end, 0
	}
	largest = max(largest, math.Abs(x[0]))
	for j := range x {
		x[j] /= largest
	}
	end = -math.Copysign(math.Sqrt(vec.SquaredNorm64(x)), x[0])
	x[0] -= end
	return end * largest, 2 / vec.SquaredNorm64(x)
}

// accumulate sets q, of rows as far apart as stride, to the transpose of Q: its row
// j is unit vector j times the reflections H_{j-1}, ..., H_0.
func (r *reduction) accumulate(q []float64, stride, threads int) {
	clear(q[:r.n*stride])
	if r.n < 64 {
		r.products(q, stride, 0, r.n)
		return
	}
	parallel.Each((r.n+rowsOfPass-1)/rowsOfPass, threads, func(_, block int) {
		lo := block * rowsOfPass
		r.products(q, stride, lo, min(lo+rowsOfPass, r.n))
	})
}

// products is accumulate for the rows lo to hi.
func (r *reduction) products(q []float64, stride, lo, hi int) {
	for j := lo; j < hi; j++ {
		q[j*stride+j] = 1
	}
	for k := hi - 2; k >= 0; k-- {
		v := r.a[k*r.n+k+1 : k*r.n+r.n]
		for j := max(lo, k+1); j < hi; j++ {
			row := q[j*stride+k+1 : j*stride+r.n]
			vec.Axpy64(row, -r.tau[k]*vec.Dot64(row, v), v)
		}
	}
}

// resized returns n numbers, in the memory of s if there is enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Shifted is the factorisation T + c I = L D L^T: ones on the diagonal of L and
// Below under it, and D.
type Shifted struct{ D, Below []float64 }

// Shift factors T + c I, for an A that is positive semidefinite up to rounding and
// c > 0.
func (t *Tridiagonal) Shift(c float64) Shifted {
	n := len(t.Diagonal)
	s := Shifted{D: make([]float64, n), Below: make([]float64, n)}
	for k, x := range t.Diagonal {
		s.D[k] = x + c
		if k > 0 {
			s.D[k] -= float64(s.Below[k-1] * t.Beside[k-1])
		}
		// What rounding has eaten; see Cholesky.
		s.D[k] = max(s.D[k], float64(float64(n+8)*0x1p-52*(x+c)))
		if k+1 < n {
			s.Below[k] = t.Beside[k] / s.D[k]
		}
	}
	return s
}

// Solve sets x to (T + c I)^-1 b. x may be b.
func (s Shifted) Solve(x, b []float64) {
	n := len(s.D)
	for k := range n {
		x[k] = b[k]
		if k > 0 {
			x[k] -= float64(s.Below[k-1] * x[k-1])
		}
	}
	for k := n - 1; k >= 0; k-- {
		x[k] /= s.D[k]
		if k+1 < n {
			x[k] -= float64(s.Below[k] * x[k+1])
		}
	}
}
