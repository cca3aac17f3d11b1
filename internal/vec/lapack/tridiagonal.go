package lapack

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
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
// Step k takes column k below the subdiagonal to zero by a reflection I - tau v v^T
// on both sides, which for the rest of the matrix is
//
//	B -= v w^T + w v^T,   w = p - (tau p^T v/2) v,   p = tau B v.
//
// Of some columns at a time the rest is changed once, by matrix products, and p is put right
// by the few v and w that it lacks (Dongarra, Sorensen and Hammarling 1989; LAPACK's latrd):
// what is left per step is one product of half the matrix with a vector.
func NewTridiagonal(a []float64, n, threads int) *Tridiagonal {
	var r reduction
	r.reduce(a, n, threads)
	t := &Tridiagonal{Diagonal: r.diagonal, Beside: r.beside, Q: make([]float64, n*n)}
	r.accumulate(t.Q, n, threads)
	return t
}

// A reduction is the work of NewTridiagonal; its memory is used again.
type reduction struct {
	a                []float64 // below and on the diagonal what is left; row k right of it: the v of step k
	n                int
	diagonal, beside []float64
	tau, p           []float64
	w                []float64 // -w of the steps of a panel, rows of n numbers
	parts            []float64 // of p, by blocks of rows
	panel            reflections
}

const (
	stepsOfPanel = 32 // steps between two changes of the rest
	fewRows      = 64 // so many are not worth matrix products, nor goroutines
)

func (r *reduction) reduce(a []float64, n, threads int) {
	r.a, r.n = a, n
	for _, s := range []*[]float64{&r.diagonal, &r.beside, &r.tau, &r.p} {
		*s = resized(*s, n)
	}
	r.beside = r.beside[:max(0, n-1)]
	steps := stepsOfPanel
	if n <= fewRows {
		steps = 2
	}
	r.w = resized(r.w, steps*n)
	for first := 0; first < n; first += steps {
		after := min(first+steps, n)
		for k := first; k < after; k++ {
			r.step(first, k, threads)
		}
		r.change(first, after, threads)
	}
}

// step is step k, of a panel that began with the first.
func (r *reduction) step(first, k, threads int) {
	a, n := r.a, r.n
	column := a[k*n+k : k*n+n]
	for i := range column {
		column[i] = a[(k+i)*n+k]
	}
	for l := first; l < k; l++ {
		v, w := a[l*n:l*n+n], r.w[(l-first)*n:(l-first+1)*n]
		vec.Axpy64(column, w[k], v[k:])
		vec.Axpy64(column, v[k], w[k:])
	}
	r.diagonal[k], r.tau[k] = column[0], 0
	v := column[1:]
	if len(v) == 0 {
		return
	}
	r.beside[k], r.tau[k] = householder(v)
	p := r.p[k+1 : n]
	r.product(p, v, k+1, threads)
	for l := first; l < k; l++ {
		x, y := a[l*n+k+1:l*n+n], r.w[(l-first)*n+k+1:(l-first+1)*n]
		vec.Axpy64(p, vec.Dot64(y, v), x)
		vec.Axpy64(p, vec.Dot64(x, v), y)
	}
	half := r.tau[k] / 2 * vec.Dot64(p, v)
	w := r.w[(k-first)*n+k+1 : (k-first+1)*n]
	for i, x := range v {
		w[i] = -float64(r.tau[k] * (p[i] - float64(half*x)))
	}
}

// partsOfProduct is how many sums a product with a vector has at most. They depend on the size alone.
const partsOfProduct = 8

// product sets p to what is left from row first on times v: each row of the lower triangle is read once.
func (r *reduction) product(p, v []float64, first, threads int) {
	m := len(v)
	parts := max(1, min(partsOfProduct, m/fewRows))
	if parts == 1 {
		r.rows(p, v, first, 0, m)
		return
	}
	r.inParts(p, v, first, parts, threads)
}

// inParts is product by so many sums, of as many numbers each.
func (r *reduction) inParts(p, v []float64, first, parts, threads int) {
	m, n := len(v), r.n
	r.parts = resized(r.parts, parts*n)
	rows := func(part int) int { return int(float64(m) * math.Sqrt(float64(part)/float64(parts))) }
	parallel.Each(parts, threads, func(_, part int) { r.rows(r.parts[part*n:], v, first, rows(part), rows(part+1)) })
	copy(p, r.parts[(parts-1)*n:])
	for part := range parts - 1 {
		vec.Axpy64(p, 1, r.parts[part*n:][:rows(part+1)])
	}
}

// rows is product for the rows lo to hi.
func (r *reduction) rows(p, v []float64, first, lo, hi int) {
	clear(p[:hi])
	for i := lo; i < hi; i++ {
		row := r.a[(first+i)*r.n+first:][:i+1]
		p[i] += vec.Dot64(row, v[:i+1])
		vec.Axpy64(p[:i], v[i], row[:i])
	}
}

// change takes the steps of a panel to the rest.
func (r *reduction) change(first, after, threads int) {
	a, n := r.a, r.n
	if n-after > fewRows {
		block := func(x []float64, rows, stride int) blas.Block[float64] {
			return blas.Block[float64]{Value: x[after:], Rows: rows, Cols: n - after, Stride: stride}
		}
		c, v, w := block(a[after*n:], n-after, n), block(a[first*n:], after-first, n), block(r.w, after-first, n)
		blas.GemmColsLower64(c, v, w, &r.panel.room, threads)
		blas.GemmColsLower64(c, w, v, &r.panel.room, threads)
		return
	}
	for i := after; i < n; i++ {
		row := a[i*n+after : i*n+i+1]
		for l := first; l < after; l++ {
			v, w := a[l*n:l*n+n], r.w[(l-first)*n:(l-first+1)*n]
			vec.Axpy64(row, v[i], w[after:i+1])
			vec.Axpy64(row, w[i], v[after:i+1])
		}
	}
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

// accumulate sets q, of rows as far apart as stride, to the transpose of Q.
func (r *reduction) accumulate(q []float64, stride, threads int) {
	clear(q[:r.n*stride])
	for j := range r.n {
		q[j*stride+j] = 1
	}
	r.back(q, r.n, stride, true, threads)
}

// Reflections are some at once: I - Y^T T Y of rows Y (Schreiber and Van Loan 1989).
type reflections struct {
	y, t []float64 // t: -T^T
	p, q []float64 // products with rows
	room blas.Room // of the changes of a panel
}

// back replaces the rows x of q, of which there are so many, by (Q x^T)^T. Where they are those of I,
// a reflection leaves the rows alone that are zero where it is not.
func (r *reduction) back(q []float64, rows, stride int, identity bool, threads int) {
	n := r.n
	for first := (n - 2) / stepsOfPanel * stepsOfPanel; first >= 0 && n > 1; first -= stepsOfPanel {
		after, from := min(first+stepsOfPanel, n-1), 0
		if identity {
			from = first + 1
		}
		if n <= fewRows {
			r.oneByOne(q, rows, stride, first, after, from)
			continue
		}
		p, k, m := &r.panel, after-first, rows-from
		r.gather(first, after)
		y := blas.Block[float64]{Value: p.y, Rows: k, Cols: n - first - 1, Stride: n - first - 1}
		x := blas.Block[float64]{Value: q[from*stride+first+1:], Rows: m, Cols: y.Cols, Stride: stride}
		p.p, p.q = resized(p.p, k*m), resized(p.q, k*m)
		clear(p.p)
		clear(p.q)
		left, right := blas.Block[float64]{Value: p.p, Rows: k, Cols: m, Stride: m}, blas.Block[float64]{Value: p.q, Rows: k, Cols: m, Stride: m}
		blas.Gemm64(left, y, x, threads)
		blas.GemmCols64(right, blas.Block[float64]{Value: p.t, Rows: k, Cols: k, Stride: k}, left, threads)
		blas.GemmCols64(x, right, y, threads)
	}
}

// oneByOne is back for the reflections first to after, the last first.
func (r *reduction) oneByOne(q []float64, rows, stride, first, after, from int) {
	for k := after - 1; k >= first; k-- {
		v := r.a[k*r.n+k+1 : k*r.n+r.n]
		for j := from; j < rows; j++ {
			row := q[j*stride+k+1 : j*stride+r.n]
			vec.Axpy64(row, -r.tau[k]*vec.Dot64(row, v), v)
		}
	}
}

// gather makes the panel of the reflections first to after.
func (r *reduction) gather(first, after int) {
	p, n := &r.panel, r.n
	k, cols := after-first, n-first-1
	p.y, p.t = resized(p.y, k*cols), resized(p.t, k*k)
	clear(p.y)
	clear(p.t)
	for l := range k {
		v := p.y[l*cols : (l+1)*cols]
		copy(v[l:], r.a[(first+l)*n+first+l+1:(first+l)*n+n])
		own, tau := p.t[l*k:(l+1)*k], r.tau[first+l]
		for i := range l {
			vec.Axpy64(own[:i+1], -tau*vec.Dot64(p.y[i*cols+l:(i+1)*cols], v[l:]), p.t[i*k:i*k+i+1])
		}
		own[l] = -tau
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
