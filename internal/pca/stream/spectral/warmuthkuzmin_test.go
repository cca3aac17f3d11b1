package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// Row 13: what is kept is the algorithm as stated, two dense eigendecompositions a
// step, from both starts; k+1 <= k' <= d and Z <= 1.
func TestWarmuthKuzminIsDense(t *testing.T) {
	const d, k, steps = 12, 3, 200
	for _, spec := range []string{"warmuth-kuzmin:c=1", "warmuth-kuzmin:c=1,start=uniform"} {
		worst, most := 0.0, 0
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(13, seed))
			s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k, Seed: seed}).(*warmuthKuzmin)
			var start []float64
			if s.a.Rank() == k+1 {
				start = s.a.Directions(k + 1)
			}
			twin := newDenseEntropy(d, k, start)
			for step := 1; step <= steps; step++ {
				x := sphere(rng, d)
				lnZ := s.step(x)
				twin.step(1/math.Sqrt(float64(step)), x)
				worst = max(worst, pcatest.LargestDifference(s.weights(), twin.w))
				if r := s.a.Rank(); r < k+1 || r > d || lnZ > 1e-14 {
					t.Fatalf("%s step %d: k' = %d, ln Z = %g", spec, step, r, lnZ)
				}
			}
			most = max(most, s.Cost().MostRank)
		}
		t.Logf("%s: worst difference %.2g, k' at most %d", spec, worst, most)
		if worst > 1e-12 {
			t.Errorf("%s: differs from the dense algorithm by %g", spec, worst)
		}
	}
}

// weights returns W, d x d.
func (s *warmuthKuzmin) weights() []float64 {
	w := make([]float64, s.a.cols*s.a.cols)
	for i := range s.a.cols {
		w[i*s.a.cols+i] = 1 / float64(s.a.cols-s.k)
	}
	u := s.a.Directions(s.a.Rank())
	for i, a := range s.a.Value {
		pcatest.AddOuter(w, math.Exp(-a)-1/float64(s.a.cols-s.k), u[i*s.a.cols:(i+1)*s.a.cols])
	}
	return w
}

// Long after the answer is clear its eigenvalues of W are below the smallest
// number, and nothing is lost.
func TestWarmuthKuzminFarBelowOne(t *testing.T) {
	s := pcatest.StartOf(t, "warmuth-kuzmin:schedule=constant,c=50", method.Problem{Cols: 4, K: 1}).(*warmuthKuzmin)
	for i := range 2000 {
		x := []float64{1, 0, 0, 0}
		if i%10 == 0 {
			x = []float64{0, 0.5, 0, 0.1}
		}
		s.step(x)
		if r := s.a.Rank(); r < 2 {
			t.Fatalf("row %d: %d directions are left, expected at least k+1 = 2", i, r)
		}
	}
	if u := s.Basis().Component; 1-math.Abs(u[0]) > 1e-10 { // it wavers by a small part of a step over -ln w
		t.Errorf("found %v", u)
	}
	if s.a.Value[0] < 1000 || math.IsInf(s.a.Value[0], 0) {
		t.Errorf("found -ln w = %v, expected more than 1000", s.a.Value)
	}
}
