package elementary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// ulps is the distance of got from want in units in the last place of want.
func ulps(got, want float64) float64 {
	if got == want || (math.IsNaN(got) && math.IsNaN(want)) {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestExpLogAgainstMath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		x := (r.Float64() - 0.5) * 1480
		if d := ulps(Exp(x), math.Exp(x)); d > 2 {
			t.Fatalf("Exp(%g) = %g, want %g: %g ulps", x, Exp(x), math.Exp(x), d)
		}
		y := math.Exp((r.Float64() - 0.5) * 1400)
		if d := ulps(Log(y), math.Log(y)); d > 2 {
			t.Fatalf("Log(%g) = %g, want %g: %g ulps", y, Log(y), math.Log(y), d)
		}
		z := math.Copysign(math.Exp((r.Float64()-1)*60), r.Float64()-0.5)
		if d := ulps(Log1p(z), math.Log1p(z)); d > 3 {
			t.Fatalf("Log1p(%g) = %g, want %g: %g ulps", z, Log1p(z), math.Log1p(z), d)
		}
	}
}

func TestExpLogEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		f, oracle func(float64) float64
		args      []float64
	}{
		{"Exp", Exp, math.Exp, []float64{0, math.Copysign(0, -1), 1, -1, 709.7, 710, 1e300, -744, -745.2, -1e300, inf, -inf, nan, 5e-324}},
		// The smallest denormal is left to TestLogOfDenormal: math.Log of it is
		// -709.09 on amd64.
		{"Log", Log, math.Log, []float64{0, 1, 2, 0.5, 1e-300, math.MaxFloat64, -1, inf, -inf, nan, math.Sqrt2, math.Sqrt2 / 2}},
		{"Log1p", Log1p, math.Log1p, []float64{0, 1, -0.5, -1, -2, 1e-300, 1e300, math.MaxFloat64, inf, nan, -0.29, 0.41}},
	} {
		for _, x := range c.args {
			got, want := c.f(x), c.oracle(x)
			if d := ulps(got, want); d > 2 {
				t.Errorf("%s(%g) = %g, want %g", c.name, x, got, want)
			}
		}
	}
}

func TestLogOfDenormal(t *testing.T) {
	if got, want := Log(0x1p-1074), -1074*math.Ln2; ulps(got, want) > 1 {
		t.Errorf("Log(2^-1074) = %v, want %v", got, want)
	}
}

// TestExp32 asks for a relative error of at most 2e-7, and below the normal
// numbers for the nearest of those there are.
func TestExp32(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	worst := 0.0
	for range 500000 {
		x := float32(r.Float64()*210 - 110)
		got, want := float64(Exp32(x)), math.Exp(float64(x))
		switch {
		case want > math.MaxFloat32*(1-1e-7):
			if want > math.MaxFloat32*(1+1e-7) && !math.IsInf(got, 1) {
				t.Fatalf("Exp32(%g) = %g, want +Inf", x, got)
			}
		case want < 0x1p-126:
			if math.Abs(got-want) > 0x1p-149 {
				t.Fatalf("Exp32(%g) = %g, want %g", x, got, want)
			}
		default:
			worst = max(worst, math.Abs(got/want-1))
		}
	}
	if worst > 1.2e-7 {
		t.Errorf("relative error up to %g", worst)
	}
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range [][2]float32{{inf, inf}, {-inf, 0}, {nan, nan}, {0, 1}, {-1e30, 0}, {1e30, inf}} {
		if got := Exp32(c[0]); got != c[1] && c[1] == c[1] || (got == got && c[1] != c[1]) {
			t.Errorf("Exp32(%g) = %g, want %g", c[0], got, c[1])
		}
	}
}

func TestSigmoidSoftplus(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 200000 {
		x := math.Copysign(math.Exp(r.Float64()*20-13), r.NormFloat64())
		small := math.Exp(-math.Abs(x))
		sigmoid, softplus := 1/(1+small), max(x, 0)+math.Log1p(small)
		if x < 0 {
			sigmoid = small / (1 + small)
		}
		if d := ulps(Sigmoid(x), sigmoid); d > 4 && sigmoid > 0x1p-1000 {
			t.Fatalf("Sigmoid(%g) = %g, want %g: %g ulps", x, Sigmoid(x), sigmoid, d)
		}
		if d := ulps(Softplus(x), softplus); d > 4 && softplus > 0x1p-1000 {
			t.Fatalf("Softplus(%g) = %g, want %g: %g ulps", x, Softplus(x), softplus, d)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][3]float64{ // x, sigmoid, softplus
		{0, 0.5, math.Ln2}, {inf, 1, inf}, {-inf, 0, 0}, {1e300, 1, 1e300}, {-1e300, 0, 0}, {nan, nan, nan},
	} {
		if got := []float64{Sigmoid(c[0]), Softplus(c[0])}; !vectest.SameBits(got, c[1:]) {
			t.Errorf("x = %g: sigmoid and softplus are %v, want %v", c[0], got, c[1:])
		}
	}
}

// TestEntropy compares with sums in double precision that lose nothing where x
// is small; the two sides of a coin are alike to the bit while 1-x is exact.
func TestEntropy(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	worst := 0.0
	for range 200000 {
		x := math.Exp(-r.Float64()*r.Float64()*700) / 2
		want := -x*math.Log(x) - (1-x)*math.Log1p(-x)
		if d := ulps(Entropy(x), want); d > 5 {
			t.Fatalf("Entropy(%g) = %g, want %g: %g ulps", x, Entropy(x), want, d)
		} else {
			worst = max(worst, d)
		}
		if y := 1 - x; Entropy(y) != Entropy(1-y) {
			t.Fatalf("Entropy(%g) = %g, of the other side %g", y, Entropy(y), Entropy(1-y))
		}
	}
	for _, c := range [][2]float64{{0, 0}, {1, 0}, {0.5, math.Ln2}, {-1, 0}, {2, 0}, {-1e300, 0}, {1e300, 0}, {math.Inf(1), 0}, {math.Inf(-1), 0}} {
		if got := Entropy(c[0]); ulps(got, c[1]) > 1 {
			t.Errorf("Entropy(%g) = %g, want %g", c[0], got, c[1])
		}
	}
	for _, x := range []float64{5e-324, 1e-310, 0x1p-1022} { // no relative accuracy, but nothing is lost that matters
		if got := Entropy(x); math.Abs(got) > 1e-300 {
			t.Errorf("Entropy(%g) = %g, want next to nothing", x, got)
		}
	}
	t.Logf("at most %g ulps", worst)
}

func BenchmarkExp(b *testing.B) {
	for name, f := range map[string]func(float64) float64{"Exp": Exp, "Log1p": Log1p, "Softplus": Softplus, "Sigmoid": Sigmoid, "math.Exp": math.Exp} {
		b.Run("function="+name, func(b *testing.B) {
			x := 0.3
			for b.Loop() {
				x = f(0.1 + 1e-9*x)
			}
		})
	}
}

func BenchmarkExpTo(b *testing.B) {
	const n = 1000
	o := vectest.DrawOperands(rand.New(rand.NewPCG(1, 1)), n, 0)
	for name, f := range map[string]func(){
		"ExpTo": func() { ExpTo(o.Y, o.X) }, "ExpTo32": func() { ExpTo32(o.Y32, o.X32) },
		"EntropyTo": func() { EntropyTo(o.Y, o.X) },
		"SigmoidTo": func() { SigmoidTo(o.Y, o.X) }, "SinTo": func() { SinTo(o.Y, o.X) }, "SoftplusTo": func() { SoftplusTo(o.Y, o.X) },
	} {
		vectest.EveryLevel(b, fmt.Sprintf("kernel=%s", name), func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/n, "ns/element")
		})
	}
}
