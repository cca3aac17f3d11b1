package parts

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestShuffleIsAPermutation that depends on the random numbers alone.
func TestShuffleIsAPermutation(t *testing.T) {
	fresh := func() []uint32 {
		order := make([]uint32, 100)
		for i := range order {
			order[i] = uint32(i)
		}
		return order
	}
	a, b, c := fresh(), fresh(), fresh()
	Shuffle(a, rand.NewPCG(1, 2))
	Shuffle(b, rand.NewPCG(1, 2))
	Shuffle(c, rand.NewPCG(1, 3))
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the permutation does not depend on the random numbers alone")
	}
	slices.Sort(c)
	if !slices.Equal(c, fresh()) {
		t.Errorf("no permutation: %v", c)
	}
}
