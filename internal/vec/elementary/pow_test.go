package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactPow is x^(k/16) by square roots and products of 300 bits: math.Pow multiplies too,
// and is not exact enough.
func exactPow(x float64, k int) *big.Float {
	base := new(big.Float).SetPrec(300).SetFloat64(x)
	for range 4 {
		base.Sqrt(base)
	}
	power := new(big.Float).SetPrec(300).SetFloat64(1)
	for range k {
		power.Mul(power, base)
	}
	return power
}

func TestPow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		x, k := math.Exp(20*r.NormFloat64()), 1+r.IntN(1600)
		if r.IntN(2) == 0 {
			x = r.Float64()
		}
		y := float64(k) / 16
		want := exactPow(x, k)
		if w, _ := want.Float64(); w < 0x1p-1022 || w > math.MaxFloat64 {
			continue
		}
		most := (2 + 6*math.Abs(y*math.Log(x))) * 0x1p-53
		off := new(big.Float).SetPrec(300).SetFloat64(Pow(x, y))
		if off, _ := off.Sub(off.Quo(off, want), big.NewFloat(1)).Float64(); math.Abs(off) > most {
			t.Fatalf("Pow(%g, %g) = %g, want %g: off by %g, more than %g", x, y, Pow(x, y), want, off, most)
		}
	}
	for _, c := range [][3]float64{{0, 0.5, 0}, {0, 3, 0}, {1, 1e300, 1}, {2, 2000, math.Inf(1)}, {0.5, 2000, 0}} {
		if got := Pow(c[0], c[1]); got != c[2] {
			t.Errorf("Pow(%g, %g) = %g, want %g", c[0], c[1], got, c[2])
		}
	}
}
