package gram

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestHeed: once what a matrix heeds has ended it computes no more than the pieces that
// are being worked on, says so, and keeps no row that is not whole; its parts do likewise.
func TestHeed(t *testing.T) {
	const n = 900
	random := rand.New(rand.NewPCG(1, 2))
	x, err := matrix.NewDense(n, 5, make([]float32, 5*n))
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Value {
		x.Value[i] = float32(random.NormFloat64())
	}
	all := make([]int, n)
	c := make([]float64, n)
	for i := range all {
		all[i], c[i] = i, random.NormFloat64()
	}
	var values atomic.Int64
	rbf := kernel.RBF{Gamma: 0.5}
	for name, k := range map[string]kernel.Kernel{
		"inner": rbf,
		"own":   kernel.Func{Value: func(x, y matrix.Vector) float64 { values.Add(1); return rbf.Eval(x, y) }},
	} {
		gram := func() *Gram {
			g, err := NewGram(k, x, Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		want := make([]float64, n)
		gram().Update(want, all, c)
		for _, most := range []int64{1, 2, 5, 20} {
			for _, part := range []bool{false, true} {
				whole := gram()
				g := whole
				if part {
					if g, err = whole.Part(all); err != nil {
						t.Fatal(err)
					}
				}
				var asks, at atomic.Int64
				whole.StopWhen(func() bool {
					if asks.Add(1) == most {
						at.Store(values.Load())
					}
					return asks.Load() >= most
				})
				got := make([]float64, n)
				g.Update(got, all, c)
				if more := values.Load() - at.Load(); !g.Cut() || more > 2*passingSingly*64 {
					t.Errorf("%s, part %v: %d values after look %d, cut is %v", name, part, more, most, g.Cut())
				}
				g.Prefetch(all[:10])
				g.Combine(got, c)
				whole.StopWhen(nil)
				clear(got)
				if g.Update(got, all, c); g.Cut() || !slices.Equal(got, want) {
					t.Errorf("%s, part %v: what was cut short after look %d shows in what came after it", name, part, most)
				}
			}
		}
	}
}
