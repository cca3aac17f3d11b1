package tiles

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestOverlapTiles compares with the chains that are stated, on every level; the
// rows store zeros too.
func TestOverlapTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	least := func(a, b, sum float64) float64 {
		if a*b <= 0 {
			return sum
		}
		return sum + math.Min(math.Abs(a), math.Abs(b))
	}
	harmonic := func(a, b, sum float64) float64 {
		if a == 0 || b == 0 {
			return sum
		}
		return sum + 2*a*b/(a+b)
	}
	for range 300 {
		g := drawTiling[float64](r, []int{Width64, NarrowWidth64}[r.IntN(2)], 1+r.IntN(40), r.IntN(2) == 0)
		for i := range g.block {
			if r.IntN(3) == 0 {
				g.block[i] = 0
			}
		}
		for k := range g.value {
			if r.IntN(5) == 0 {
				g.value[k] = 0
			}
		}
		checkTiling(t, g, least, Least64)
		for i, b := range g.block {
			g.block[i] = math.Abs(b)
		}
		for k, a := range g.value {
			g.value[k] = float32(math.Abs(float64(a)))
		}
		checkTiling(t, g, harmonic, Harmonic64)
	}
}
