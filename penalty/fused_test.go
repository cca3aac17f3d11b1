package penalty_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/penalty"
)

// TestFusedDomain: the scale is that of the worst of all intervals, and by less than a rounding more no
// vector is inside.
func TestFusedDomain(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	for range 2000 {
		f := penalty.Fused{L1: math.Pow(10, 4*r.Float64()-3)}
		u := make([]float64, 1+r.IntN(40))
		for j := range u {
			u[j] = r.NormFloat64() + r.Float64()
		}
		worst := 1.0
		for a := range u {
			sum := 0.0
			for b := a + 1; b <= len(u); b++ {
				sum += u[b-1]
				interval := make([]float64, len(u))
				for j := a; j < b; j++ {
					interval[j] = 1
				}
				worst = max(worst, math.Abs(sum)/f.Value(interval))
			}
		}
		if scale, value := f.Conjugate(u); scale*worst > 1 || scale*worst < 1-1e-9 || value != 0 {
			t.Fatalf("%d numbers, l1 %g: scale %v, by all intervals %v", len(u), f.L1, scale, 1/worst)
		}
	}
}

// TestFusedProx: the proximal point obeys the optimality conditions, whatever the lengths and steps:
// v - x over step is in the domain of the conjugate, and attains the penalty at x.
func TestFusedProx(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 2))
	for trial := range 2000 {
		f := penalty.Fused{L1: math.Pow(10, 3*r.Float64()-3)}
		n, step := 1+r.IntN(300), math.Pow(10, 5*r.Float64()-3)
		v, x, g := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range v {
			v[j] = r.NormFloat64() + float64(5*(j/40))
			if trial%3 == 0 { // ties
				v[j] = math.Round(v[j])
			}
		}
		f.Prox(x, v, step)
		inner, size := 0.0, 0.0
		for j := range v {
			g[j] = (v[j] - x[j]) / step
			inner += g[j] * x[j]
			size += math.Abs(v[j])
		}
		scale, _ := f.Conjugate(g)
		room := 1e-12 * (1 + size) * float64(n) / min(1, step*f.L1)
		if value := f.Value(x); math.Abs(value-inner) > room || scale < 1-room {
			t.Fatalf("%d numbers, step %g, l1 %g: penalty %v, inner product %v, scale %v", n, step, f.L1, value, inner, scale)
		}
	}
}
