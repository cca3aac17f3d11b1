package spectral

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// Slow twins on dense d x d matrices, row-major: what the fast methods must equal.

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
		pcatest.AddOuter(s.m, 1, basis[i*d:][:d])
	}
	return s
}

// step sets M to P(M + eta x x^T).
func (s *denseMSG) step(eta float64, x []float64) {
	pcatest.AddOuter(s.m, eta, x)
	values, vectors := pcatest.Jacobi(s.m, s.d)
	up := slices.Clone(values)
	slices.Reverse(up)
	shift, ok := twoPointers(up, nil, float64(s.k), 1e-12)
	if !ok {
		panic("no shift")
	}
	for i, v := range values {
		values[i] = min(max(v+shift, 0), 1)
	}
	s.m = pcatest.Assemble(values, vectors, s.d)
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
		pcatest.AddOuter(s.w, (1/float64(k+1)-1)/float64(d-k), basis[i*d:][:d])
	}
	return s
}

// step sets W to P_RE(exp(ln W - eta x x^T)).
func (s *denseEntropy) step(eta float64, x []float64) {
	values, vectors := pcatest.Jacobi(s.w, s.d)
	for i, v := range values {
		values[i] = math.Log(v)
	}
	log := pcatest.Assemble(values, vectors, s.d)
	pcatest.AddOuter(log, -eta, x)
	values, vectors = pcatest.Jacobi(log, s.d)
	s.w = pcatest.Assemble(bisectedLogs(values, nil, s.d, s.k), vectors, s.d)
}

func TestJacobi(t *testing.T) {
	a := []float64{2, 1, 0, 1, 2, 1, 0, 1, 2} // 2 + 2 cos(j pi/4)
	values, vectors := pcatest.Jacobi(a, 3)
	if pcatest.LargestDifference(values, []float64{2 + math.Sqrt2, 2, 2 - math.Sqrt2}) > 1e-14 {
		t.Errorf("eigenvalues %v", values)
	}
	if pcatest.LargestDifference(pcatest.Assemble(values, vectors, 3), a) > 1e-14 {
		t.Errorf("eigenvectors %v", vectors)
	}
}
