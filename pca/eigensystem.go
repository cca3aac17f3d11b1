package pca

import "math"

// eigensystem decomposes small symmetric matrices by cyclic Jacobi rotations.
type eigensystem struct {
	vectors, sorted []float64
	order           []int
}

// Decompose sets values to the eigenvalues of the symmetric a, n x n, descending
// and among equal ones in the order of the columns, and returns the vectors as
// rows, valid until the next call. a is scratch.
func (e *eigensystem) Decompose(values, a []float64, n int) []float64 {
	e.vectors = zeros(e.vectors, n*n)
	v := e.vectors
	for i := range n {
		v[i*n+i] = 1
	}
	for range 60 {
		moved := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				moved = rotatePair(a, v, n, p, q) || moved
			}
		}
		if !moved {
			break
		}
	}
	e.order = e.order[:0]
	for i := range n {
		at := len(e.order)
		for at > 0 && a[e.order[at-1]*n+e.order[at-1]] < a[i*n+i] {
			at--
		}
		e.order = append(e.order, 0)
		copy(e.order[at+1:], e.order[at:])
		e.order[at] = i
	}
	e.sorted = zeros(e.sorted, n*n)
	for i, from := range e.order {
		values[i] = a[from*n+from]
		copy(e.sorted[i*n:(i+1)*n], v[from*n:(from+1)*n])
	}
	return e.sorted
}

// rotatePair takes a[p][q] to zero, unless it is negligible.
func rotatePair(a, v []float64, n, p, q int) bool {
	off := a[p*n+q]
	if math.Abs(off) <= 0x1p-54*math.Sqrt(math.Abs(a[p*n+p]))*math.Sqrt(math.Abs(a[q*n+q])) || math.Abs(off) < 1e-300 {
		return false
	}
	theta := (a[q*n+q] - a[p*n+p]) / (2 * off)
	t := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(float64(t*t)+1)
	s := t * c
	for j := range n {
		if j != p && j != q {
			x, y := a[p*n+j], a[q*n+j]
			a[p*n+j], a[q*n+j] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
			a[j*n+p], a[j*n+q] = a[p*n+j], a[q*n+j]
		}
		x, y := v[p*n+j], v[q*n+j]
		v[p*n+j], v[q*n+j] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
	a[p*n+p] -= float64(t * off)
	a[q*n+q] += float64(t * off)
	a[p*n+q], a[q*n+p] = 0, 0
	return true
}
