package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestFMA32 compares with exact arithmetic, at the places where rounding twice
// goes wrong among them.
func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	twice := 0
	for range 300000 {
		a := float32(1 + float64(r.IntN(1<<12))*0x1p-12)
		b := float32(1 + float64(r.IntN(1<<12))*0x1p-11)
		c := math.Float32frombits(r.Uint32N(1<<31) & 0xff7fffff)
		if r.IntN(2) == 0 {
			c = float32(math.Copysign(math.Ldexp(1+r.Float64(), r.IntN(60)-60), r.NormFloat64()))
		}
		exact := new(big.Float).SetPrec(500)
		exact.Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b))).SetPrec(500)
		exact.Add(exact, big.NewFloat(float64(c)))
		want, _ := exact.Float32()
		if got := FMA32(a, b, c); got != want {
			t.Fatalf("FMA32(%x, %x, %x) = %x, want %x", a, b, c, got, want)
		}
		if float32(math.FMA(float64(a), float64(b), float64(c))) != want {
			twice++
		}
	}
	if twice == 0 {
		t.Error("no operands on which rounding twice differs: the test cannot fail")
	}
}
