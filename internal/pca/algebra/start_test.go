package algebra_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

func TestRandomBasis(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 7}, {7, 7}, {5, 300}} {
		k, d := size[0], size[1]
		u := algebra.RandomBasis(3, k, d)
		if got := pcatest.Departure(u, d); got > 1e-14 {
			t.Errorf("k=%d d=%d: U U^T is off I by %g", k, d, got)
		}
		if again := algebra.RandomBasis(3, k, d); pcatest.LargestDifference(u, again) != 0 {
			t.Errorf("k=%d d=%d: another basis for the same seed", k, d)
		}
		if other := algebra.RandomBasis(4, k, d); d > 1 && pcatest.LargestDifference(u, other) == 0 {
			t.Errorf("k=%d d=%d: the same basis for another seed", k, d)
		}
	}
}

// The moments of 10^5 standard normal numbers, within five standard errors.
func TestFillNormal(t *testing.T) {
	const n = 100001 // odd: the last of a pair is left out
	x := make([]float64, n)
	algebra.FillNormal(x, rand.NewPCG(1, 2))
	var moment [5]float64
	for _, v := range x {
		power := 1.0
		for p := range moment {
			moment[p] += power / n
			power *= v
		}
	}
	for p, want := range []float64{1, 0, 1, 0, 3} {
		variance := []float64{0, 1, 2, 15, 96}[p]
		if got := moment[p]; math.Abs(got-want) > 5*math.Sqrt(variance/n)+1e-9 {
			t.Errorf("moment %d: found %g, expected %g", p, got, want)
		}
	}
}
