package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSincos compares with package math, which is good to a unit in the last
// place or two while the argument is not large; beyond, the remainder is that of
// the double nearest to 2 pi, and the squares still add up to 1.
func TestSincos(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	points := []float64{0, math.Copysign(0, -1), 1e-300, math.Pi / 4, math.Pi / 2, math.Pi, 3 * math.Pi / 2, 1 << 40, math.MaxFloat64}
	for range 20000 {
		points = append(points, 10*r.NormFloat64(), math.Exp(25*r.Float64()), -math.Exp(700*r.Float64()))
	}
	for _, x := range points {
		sin, cos := sincos(x)
		if one := sin*sin + cos*cos; math.Abs(one-1) > 1e-15 {
			t.Fatalf("x = %g: the squares add up to %v", x, one)
		}
		if math.Abs(x) > 1<<29 {
			continue // where package math changes its method
		}
		wantSin, wantCos := math.Sincos(x)
		if math.Abs(sin-wantSin) > 4e-16 || math.Abs(cos-wantCos) > 4e-16 {
			t.Fatalf("x = %g: %v and %v, want %v and %v", x, sin, cos, wantSin, wantCos)
		}
	}
}
