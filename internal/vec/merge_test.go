package vec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMerge holds plain Go to what Merge states.
func TestMerge(t *testing.T) {
	defer use(chosen())
	use(portable)
	r := rand.New(rand.NewPCG(61, 1))
	for n := range 70 {
		o := drawOperands(r, n, 0)
		a, b, old := o.y, o.w[:n], slices.Clone(o.x)
		want, sum := make([]float64, n), make([]float64, n)
		for j, u := range old {
			want[j] = float64(0.7 * ((a[j] - u) + (b[j] - u)))
			sum[j] = u + want[j]
		}
		change := make([]float64, n)
		along, squared := Merge(o.x, a, b, change, 0.7)
		if !sameBits(change, want) || !sameBits(o.x, sum) || !sameBits(a, sum) || !sameBits(b, sum) {
			t.Errorf("n=%d: change %v to %v, want %v to %v", n, change, o.x, want, sum)
		}
		if !sameBits([]float64{along, squared}, []float64{stated(32, old, want), stated(32, want, want)}) {
			t.Errorf("n=%d: <u,change> = %v, |change|^2 = %v", n, along, squared)
		}
	}
}
