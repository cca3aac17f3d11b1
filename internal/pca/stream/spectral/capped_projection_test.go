package spectral

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// bestSubset is the projection of the thesis: every subset of that size, the one
// whose projection is nearest to sigma. It returns the squared distance.
func bestSubset(sigma []float64, size int, k float64) float64 {
	best := math.Inf(1)
	for set := range 1 << len(sigma) {
		if bits.OnesCount(uint(set)) != min(size, len(sigma)) {
			continue
		}
		var kept []float64
		away := 0.0
		for i, v := range sigma {
			if set>>i&1 == 1 {
				kept = append(kept, v)
			} else {
				away += v * v
			}
		}
		for i, s := range bisected(kept, nil, k) {
			away += (s - kept[i]) * (s - kept[i])
		}
		best = min(best, away)
	}
	return best
}

// Row 17 of the checklist.
func TestProjectCapped(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 1))
	var f fantope
	worst := 0.0
	for range 5000 {
		sigma := make([]float64, 2+r.IntN(7))
		for i := range sigma {
			sigma[i] = 1.6*r.Float64() - 0.2
			if i > 0 && r.IntN(4) == 0 {
				sigma[i] = sigma[i-1]
			}
		}
		k := 1 + r.IntN(len(sigma)-1)
		size := k + r.IntN(len(sigma)-k+1)
		s := slices.Clone(sigma)
		f.projectCapped(s, size, float64(k))
		sum, away, rank := 0.0, 0.0, 0
		for i := range s {
			sum += s[i]
			away += (s[i] - sigma[i]) * (s[i] - sigma[i])
			if s[i] != 0 {
				rank++
			}
		}
		if rank > size || math.Abs(sum-float64(k)) > 1e-12 || slices.Min(s) < 0 || slices.Max(s) > 1 {
			t.Fatalf("projectCapped(%v, %d, %d) = %v: rank %d, sum %v", sigma, size, k, s, rank, sum)
		}
		worst = max(worst, math.Abs(away-bestSubset(sigma, size, float64(k))))
	}
	t.Logf("worst difference of squared distances %.2g", worst)
	if worst > 1e-12 {
		t.Errorf("squared distance differs by %g from the best subset's", worst)
	}
}

func TestProjectCappedRaises(t *testing.T) {
	var f fantope
	s := []float64{0.75, 0.5, 0.5, 0.5} // the fourth is dropped, the others make up for it
	f.projectCapped(s, 3, 2)
	want := []float64{0.75 + 0.25/3, 0.5 + 0.25/3, 0.5 + 0.25/3, 0}
	if pcatest.LargestDifference(s, want) > 1e-15 {
		t.Errorf("found %v, expected %v", s, want)
	}
}
