package gram

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
)

// TestHold: what a matrix with all values at hand combines to has the bits of what is computed anew, and
// costs no values.
func TestHold(t *testing.T) {
	const n = 203
	sparse, dense, _ := stored(6, n, 30)
	beta := make([]float64, n)
	for j := range beta {
		if j%3 != 0 {
			beta[j] = float64(j%7) - 2.5
		}
	}
	for _, k := range []kernel.Kernel{kernel.Linear{}, kernel.RBF{Gamma: 0.1}, outer{kernel.RBF{Gamma: 0.1}}} {
		for threads, g := range []*Gram{newGram(t, k, sparse, Options{Threads: 1}), newGram(t, k, dense, Options{Threads: 2})} {
			held := g.Hold()
			if !held.Filled() {
				t.Fatalf("%v: not all values are at hand", k)
			}
			want, got := make([]float64, n), make([]float64, n)
			g.Combine(want, beta)
			before := held.Counts()
			chain := held.Combine(got, beta)
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Fatalf("%v of %T, %d threads: %v at row %d, want %v", k, k, threads+1, got[i], i, want[i])
				}
			}
			if chain != held.Combine(got, beta) || held.Counts() != before {
				t.Errorf("%v: counts %+v after %+v", k, held.Counts(), before)
			}
		}
	}
}
