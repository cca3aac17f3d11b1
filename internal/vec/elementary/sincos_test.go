package elementary

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Angles of few turns agree with package math, which takes radians; a whole
// number of turns more changes nothing, as far as the angle can say it.
func TestSinCos(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for k := -4000; k <= 40000; k++ {
		turns := float64(k) / 1024
		if k > 4000 {
			turns = r.Float64() - 0.5
		}
		sin, cos := Sin(turns), Cos(turns)
		wantSin, wantCos := math.Sincos(2 * math.Pi * turns)
		if off := max(math.Abs(sin-wantSin), math.Abs(cos-wantCos)); off > 5e-16+8*math.Abs(turns)*0x1p-52 {
			t.Fatalf("%v turns: %v and %v, want %v and %v", turns, sin, cos, wantSin, wantCos)
		}
		short := math.Round(turns*(1<<30)) / (1 << 30)
		sin, cos = Sin(short), Cos(short)
		for _, whole := range []float64{1, -3, 1 << 20} {
			if s, c := Sin(short+whole), Cos(short+whole); s != sin || c != cos {
				t.Fatalf("%v turns and %v more: %v and %v, want %v and %v", short, whole, s, c, sin, cos)
			}
		}
	}
}

// Halves are exact; the largest numbers are whole turns; the rest is none.
func TestSinCosEnds(t *testing.T) {
	for _, c := range [][3]float64{
		{0, 0, 1}, {0.5, 0, -1}, {-0.5, 0, -1}, {1, 0, 1}, {1.5, 0, -1},
		{1 << 60, 0, 1}, {-math.MaxFloat64, 0, 1}, {1e-300, 2 * math.Pi * 1e-300, 1},
	} {
		if sin, cos := Sin(c[0]), Cos(c[0]); sin != c[1] || cos != c[2] {
			t.Errorf("%v turns: %v and %v, want %v and %v", c[0], sin, cos, c[1], c[2])
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if sin, cos := Sin(x), Cos(x); sin == sin || cos == cos {
			t.Errorf("%v turns: %v and %v, want NaN", x, sin, cos)
		}
	}
}
