package pca

import (
	"math"
	"slices"
	"testing"
)

// Slow twins on dense d x d matrices, row-major: what the fast methods must equal.

// jacobi returns the eigenvalues of the symmetric a, falling, and its eigenvectors
// as rows, by cyclic rotations (Golub and Van Loan 8.5).
func jacobi(a []float64, d int) (values, vectors []float64) {
	a, vectors = slices.Clone(a), make([]float64, d*d)
	for i := range d {
		vectors[i*d+i] = 1
	}
	for sweep := 0; sweep < 60; sweep++ {
		turned := false
		for p := range d {
			for q := p + 1; q < d; q++ {
				if math.Abs(a[p*d+q]) <= 1e-17*math.Sqrt(math.Abs(a[p*d+p]*a[q*d+q])) || math.Abs(a[p*d+q]) < 1e-300 {
					continue
				}
				turned = true
				rotate(a, vectors, d, p, q)
			}
		}
		if !turned {
			break
		}
	}
	order := make([]float64, d)
	for i := range order {
		order[i] = a[i*d+i]
	}
	sorted := make([]float64, 0, d*d)
	index := make([]int, d)
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(i, j int) int {
		if order[i] > order[j] {
			return -1
		} else if order[i] < order[j] {
			return 1
		}
		return 0
	})
	for _, i := range index {
		values = append(values, order[i])
		sorted = append(sorted, vectors[i*d:][:d]...)
	}
	return values, sorted
}

// rotate makes element (p, q) of a zero.
func rotate(a, vectors []float64, d, p, q int) {
	theta := (a[q*d+q] - a[p*d+p]) / (2 * a[p*d+q])
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for i := range d {
		x, y := a[i*d+p], a[i*d+q]
		a[i*d+p], a[i*d+q] = c*x-s*y, s*x+c*y
	}
	for i := range d {
		x, y := a[p*d+i], a[q*d+i]
		a[p*d+i], a[q*d+i] = c*x-s*y, s*x+c*y
		x, y = vectors[p*d+i], vectors[q*d+i]
		vectors[p*d+i], vectors[q*d+i] = c*x-s*y, s*x+c*y
	}
	a[p*d+q], a[q*d+p] = 0, 0
}

// assemble returns sum_i values_i v_i v_i^T over the rows v_i of vectors.
func assemble(values, vectors []float64, d int) []float64 {
	a := make([]float64, d*d)
	for i, w := range values {
		addOuter(a, w, vectors[i*d:][:d])
	}
	return a
}

// addOuter adds w x x^T to a.
func addOuter(a []float64, w float64, x []float64) {
	for i, v := range x {
		for j, u := range x {
			a[i*len(x)+j] += w * (v * u)
		}
	}
}

// quadratic returns x^T a x.
func quadratic(a, x []float64) (sum float64) {
	for i, v := range x {
		for j, u := range x {
			sum += v * u * a[i*len(x)+j]
		}
	}
	return sum
}

// denseMSG is projected stochastic gradient ascent on M, as the thesis states it
// (6.1): one dense eigendecomposition a step, and its Algorithm 6.2.
type denseMSG struct {
	d, k int
	m    []float64 // M, d x d
}

// newDenseMSG starts at the projection on the k orthonormal rows of basis; nil is
// M = (k/d) I.
func newDenseMSG(d, k int, basis []float64) *denseMSG {
	s := &denseMSG{d, k, make([]float64, d*d)}
	for i := range d {
		if basis == nil {
			s.m[i*d+i] = float64(k) / float64(d)
		}
	}
	for i := range len(basis) / d {
		addOuter(s.m, 1, basis[i*d:][:d])
	}
	return s
}

// step sets M to P(M + eta x x^T).
func (s *denseMSG) step(eta float64, x []float64) {
	addOuter(s.m, eta, x)
	values, vectors := jacobi(s.m, s.d)
	up := slices.Clone(values)
	slices.Reverse(up)
	shift, ok := twoPointers(up, nil, float64(s.k), 1e-12)
	if !ok {
		panic("no shift")
	}
	for i, v := range values {
		values[i] = min(max(v+shift, 0), 1)
	}
	s.m = assemble(values, vectors, s.d)
}

// denseEntropy is the algorithm of Warmuth and Kuzmin as they state it: W is kept,
// and a step takes two dense eigendecompositions.
type denseEntropy struct {
	d, k int
	w    []float64 // W, d x d
}

// newDenseEntropy starts at I/d; or, given k+1 orthonormal rows, at 1/((k+1)(d-k))
// on them and at the cap 1/(d-k) elsewhere.
func newDenseEntropy(d, k int, basis []float64) *denseEntropy {
	s := &denseEntropy{d, k, make([]float64, d*d)}
	for i := range d {
		s.w[i*d+i] = 1 / float64(d-k)
		if basis == nil {
			s.w[i*d+i] = 1 / float64(d)
		}
	}
	for i := range len(basis) / d {
		addOuter(s.w, (1/float64(k+1)-1)/float64(d-k), basis[i*d:][:d])
	}
	return s
}

// step sets W to P_RE(exp(ln W - eta x x^T)).
func (s *denseEntropy) step(eta float64, x []float64) {
	values, vectors := jacobi(s.w, s.d)
	for i, v := range values {
		values[i] = math.Log(v)
	}
	log := assemble(values, vectors, s.d)
	addOuter(log, -eta, x)
	values, vectors = jacobi(log, s.d)
	s.w = assemble(bisectedLogs(values, nil, s.d, s.k), vectors, s.d)
}

// randomRows returns rows orthonormal vectors of dimension d.
func randomRows(normal func() float64, rows, d int) []float64 {
	a := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			a[i*d+j] = normal()
			a[j*d+i] = a[i*d+j]
		}
	}
	_, vectors := jacobi(a, d)
	return vectors[:rows*d]
}

func TestJacobi(t *testing.T) {
	a := []float64{2, 1, 0, 1, 2, 1, 0, 1, 2} // 2 + 2 cos(j pi/4)
	values, vectors := jacobi(a, 3)
	if distance(values, []float64{2 + math.Sqrt2, 2, 2 - math.Sqrt2}) > 1e-14 {
		t.Errorf("eigenvalues %v", values)
	}
	if distance(assemble(values, vectors, 3), a) > 1e-14 {
		t.Errorf("eigenvectors %v", vectors)
	}
}
