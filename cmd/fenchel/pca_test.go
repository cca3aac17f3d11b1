package main

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/components"
)

// A bound is printed as one: not below what it is, and hardly above.
func TestRoundedUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 10000 {
		x := rng.Float64() * 100
		for _, digits := range []int{3, 9} {
			y, err := strconv.ParseFloat(components.RoundedUp(x, digits), 64)
			if limit := 1.01 + 9*float64(4-digits/3)/1e3; err != nil || y < x || y > x*limit {
				t.Fatalf("%v with %d digits: %v", x, digits, y)
			}
		}
	}
	for x, want := range map[float64]string{0: "0", 1.5: "1.5", 1.2341: "1.24"} {
		if got := components.RoundedUp(x, 3); got != want {
			t.Errorf("%v: found %s, expected %s", x, got, want)
		}
	}
}
