package lapack

import (
	"cmp"
	"math"
	"slices"
)

// Eigensystem computes A = sum_i values[i] v_i v_i^T, the v_i orthonormal, of symmetric
// matrices A; its memory is used again. The zero value is ready. It is not for more than
// one goroutine at a time.
//
// Method: rows without a neighbour (all but the diagonal is 0) are eigenvectors as
// they are. The others become tridiagonal (see [NewTridiagonal]), and that diagonal:
// up to 64 by QR steps with Wilkinson's shift (Golub and Van Loan 8.3.5, in the form of
// EISPACK's tql2 and LAPACK's steqr), more by divide and conquer (see eigendivide.go), whose
// vectors are reflected back by matrix products.
//
// Errors: a few n*2^-53 times the largest |value|, of values, of A v = value v and of
// orthogonality. A is scaled by a power of two first, so any finite size will do.
//
// Cost: about 8n^3/3 multiplications with vectors, fewer where eigenvalues are close or only some
// vectors are wanted, n^3 2/3 without.
//
// Cyclic Jacobi was rejected for small n also: at n = 10 it takes 240 rotations of both
// sides (5300 at n = 40), where QR takes 125 (1900) of the vectors alone; in plain Go 18 us
// without vectors, against 6 us with them. It is the reference of the tests.
type Eigensystem struct {
	reduction reduction
	q         []float64 // rows, stride apart: eigenvectors of the tridiagonal matrix, or of few rows of a
	stride    int
	rotations []rotation
	values    []float64
	coupled   []int // rows that have neighbours
	order     []int
	position  []int
	secular   secular
	merging   merging
	wanted    []bool
}

// Eigen is [Eigensystem.Decompose] for one matrix.
func Eigen(values, vectors, a []float64, n, threads int) {
	new(Eigensystem).Decompose(values, vectors, a, n, threads)
}

// Decompose sets values to the n eigenvalues of a, descending, and row i of vectors (n*n
// numbers, row-major) to the eigenvector of values[i]; it has length 1 and any sign.
// Without vectors (nil) it is faster, and the values are the same. The matrix a, n*n
// numbers, row-major and symmetric, becomes scratch. At most threads goroutines are
// used (0: as many as there are cores); they do not enter the results.
//
// Equal values keep the order of the rows that they come from; so a diagonal matrix
// is sorted stably, and its eigenvectors are unit vectors. Where a number of a is not
// finite, all results are NaN.
func (e *Eigensystem) Decompose(values, vectors, a []float64, n, threads int) {
	if vectors != nil {
		vectors = vectors[:n*n]
	}
	switch ok := e.solve(values[:n], a, n, vectors != nil, threads); {
	case !ok:
		fill(vectors, math.NaN())
	case vectors != nil:
		e.write(vectors, n, threads)
	}
}

// Leading sets values to the n eigenvalues of a as [Eigensystem.Decompose] does, and returns the vectors
// of the first few: of as many as count says of the values.
func (e *Eigensystem) Leading(values, a []float64, n, threads int, count func(values []float64) int) []float64 {
	ok := e.solve(values[:n], a, n, true, threads)
	vectors := make([]float64, count(values[:n])*n)
	if !ok {
		fill(vectors, math.NaN())
	} else {
		e.write(vectors, n, threads)
	}
	return vectors
}

// solve finds the eigenvalues and their order, and what their vectors are made of.
func (e *Eigensystem) solve(values, a []float64, n int, vectors bool, threads int) (ok bool) {
	a = a[:n*n]
	exponent, ok := exponentOf(a)
	if !ok {
		fill(values, math.NaN())
		return false
	}
	e.values = resized(e.values, n)
	down := powerOf(-exponent)
	for i := range n {
		e.values[i] = down.times(a[i*n+i])
	}
	m := e.couple(a, n, down)
	e.reduction.reduce(a[:m*m], m, threads)
	e.stride = 2
	if vectors {
		e.stride = strideOf(m)
	}
	e.q = resized(e.q, m*e.stride)
	switch {
	case m > fewRows:
		clear(e.q)
		e.divide(0, m, vectors, threads)
	case vectors:
		e.reduction.accumulate(e.q, e.stride, threads)
		e.iterate(0, m, e.q, e.stride, m)
	default:
		e.iterate(0, m, e.q, e.stride, 0)
	}
	for k, i := range e.coupled {
		e.values[i] = e.reduction.diagonal[k]
	}
	e.order = resized(e.order, n)
	for i := range e.order {
		e.order[i] = i
	}
	slices.SortStableFunc(e.order, func(i, j int) int { return cmp.Compare(e.values[j], e.values[i]) })
	up := powerOf(exponent)
	for to, i := range e.order {
		values[to] = up.times(e.values[i])
	}
	return true
}

// exponentOf returns the exponent of the largest |x|, and whether all are finite.
func exponentOf(x []float64) (exponent int, finite bool) {
	var largest uint64
	for _, v := range x {
		largest = max(largest, math.Float64bits(v)&^(1<<63))
	}
	if largest > math.Float64bits(math.MaxFloat64) {
		return 0, false
	}
	_, exponent = math.Frexp(math.Float64frombits(largest))
	return exponent, true
}

// A power of two is two factors: one alone can be too large for a number.
type power [2]float64

func powerOf(exponent int) power {
	exponent = max(-2000, min(exponent, 2000)) // 0 times it shall be 0
	return power{math.Ldexp(1, exponent/2), math.Ldexp(1, exponent-exponent/2)}
}

func (p power) times(x float64) float64 { return x * p[0] * p[1] }

func fill(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

// couple finds the rows that have neighbours, moves their part of a to its
// beginning, as a matrix of m rows, and scales it.
func (e *Eigensystem) couple(a []float64, n int, down power) (m int) {
	e.coupled = e.coupled[:0]
	for i := range n {
		if row := a[i*n : i*n+n]; hasOther(row[:i]) || hasOther(row[i+1:]) {
			e.coupled = append(e.coupled, i)
		}
	}
	m = len(e.coupled)
	for k, i := range e.coupled {
		for l, j := range e.coupled {
			a[k*m+l] = down.times(a[i*n+j])
		}
	}
	return m
}

// hasOther reports whether any of x is not zero.
func hasOther(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return true
		}
	}
	return false
}

// strideOf returns a distance of rows that is a multiple of eight, and
// not of a page, for the cache.
func strideOf(n int) int {
	n = (n + 7) &^ 7
	if n%256 == 0 {
		n += 8
	}
	return n
}

// write writes as many vectors as there is room for, in the order of their values.
func (e *Eigensystem) write(vectors []float64, n, threads int) {
	m, position, from := len(e.coupled), e.positions(n), e.q
	which := e.order[:len(vectors)/max(n, 1)]
	if m > fewRows {
		from = e.reflectBack(which, threads)
	}
	clear(vectors)
	next := 0
	for to, i := range which {
		row, at := vectors[to*n:to*n+n], position[i]
		if at < 0 {
			row[i] = 1
			continue
		}
		if m > fewRows {
			at = next
			next++
		}
		for l, j := range e.coupled {
			row[j] = from[at*e.stride+l]
		}
	}
}

// reflectBack multiplies the last halves, for the vectors of some rows that have neighbours, and takes
// these back to the matrix given, one after another.
func (e *Eigensystem) reflectBack(which []int, threads int) []float64 {
	e.wanted = resized(e.wanted, len(e.coupled))
	clear(e.wanted)
	count := 0
	for _, i := range which {
		if at := e.position[i]; at >= 0 {
			e.wanted[at] = true
			count++
		}
	}
	e.multiply(e.wanted, true, threads)
	e.merging.b = resized(e.merging.b, count*e.stride)
	x, next := e.merging.b, 0
	for _, i := range which {
		if at := e.position[i]; at >= 0 {
			copy(x[next*e.stride:(next+1)*e.stride], e.q[at*e.stride:])
			next++
		}
	}
	e.reduction.back(x, count, e.stride, false, threads)
	return x
}

// positions returns where the rows are among those that have neighbours, or -1.
func (e *Eigensystem) positions(n int) []int {
	e.position = resized(e.position, n)
	for i := range e.position {
		e.position[i] = -1
	}
	for k, i := range e.coupled {
		e.position[i] = k
	}
	return e.position
}
