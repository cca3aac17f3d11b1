package vec

import "math"

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
	t := &Tridiagonal{Diagonal: make([]float64, n), Beside: make([]float64, max(0, n-1))}
	tau := make([]float64, n)
	p, w := make([]float64, n), make([]float64, n)
	var v, next []float64 // of the step before, and of this one
	for k := range n {
		first := a[k*n+k : k*n+n]
		if k > 0 {
			reflect(first, v, w[k:], 0)
		}
		t.Diagonal[k] = first[0]
		if next = first[1:]; len(next) > 0 {
			t.Beside[k], tau[k] = householder(next)
		}
		parallel(goroutines(threads), (n-k-1+rowsOfPass-1)/rowsOfPass, func(_, block int) {
			lo := k + 1 + block*rowsOfPass
			for i := lo; i < min(lo+rowsOfPass, n); i++ {
				row := a[i*n+k : i*n+n]
				if k > 0 {
					reflect(row, v, w[k:], i-k)
				}
				p[i] = tau[k] * Dot64(row[1:], next)
			}
		})
		if len(next) > 0 {
			half := tau[k] / 2 * Dot64(p[k+1:], next)
			copy(w[k+1:], p[k+1:])
			Axpy64(w[k+1:], -half, next)
		}
		v = next
	}
	t.accumulate(a, tau, n, threads)
	return t
}

// rowsOfPass is how many rows a goroutine takes at a time. It does not enter
// the results.
const rowsOfPass = 16

// reflect takes row i of v w^T + w v^T off a row.
func reflect(row, v, w []float64, i int) {
	Axpy64(row, -v[i], w)
	Axpy64(row, -w[i], v)
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
	end = -math.Copysign(math.Sqrt(SquaredNorm64(x)), x[0])
	x[0] -= end
	return end * largest, 2 / SquaredNorm64(x)
}

// accumulate multiplies the reflections, of which row k of a has the v: row j
// of the transpose of Q is unit vector j times H_{j-1}, ..., H_0.
func (t *Tridiagonal) accumulate(a, tau []float64, n, threads int) {
	t.Q = make([]float64, n*n)
	parallel(goroutines(threads), (n+rowsOfPass-1)/rowsOfPass, func(_, block int) {
		lo, hi := block*rowsOfPass, min(block*rowsOfPass+rowsOfPass, n)
		for j := lo; j < hi; j++ {
			t.Q[j*n+j] = 1
		}
		for k := hi - 2; k >= 0; k-- {
			v := a[k*n+k+1 : k*n+n]
			for j := max(lo, k+1); j < hi; j++ {
				row := t.Q[j*n+k+1 : j*n+n]
				Axpy64(row, -tau[k]*Dot64(row, v), v)
			}
		}
	})
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
