package pca

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/vec"
)

// Eigenvalues and eigenvectors are exact to rounding, for values close together or
// far apart, and weights of any size.
func TestSecular(t *testing.T) {
	var worst, worstDeparture float64
	count := 3000
	if testing.Short() {
		count = 300
	}
	var s secular
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(31, seed))
		n := 1 + r.IntN(20)
		d, z := make([]float64, n), make([]float64, n)
		for i := range d {
			d[i] = 2*r.Float64() - 1
			if r.IntN(3) == 0 && i > 0 {
				d[i] = d[i-1] + math.Ldexp(1+r.Float64(), -r.IntN(40))
			}
			z[i] = math.Ldexp(r.NormFloat64(), -r.IntN(40))
		}
		slices.Sort(d)
		scale(z, 1/math.Sqrt(vec.SquaredNorm64(z)))
		rho := math.Ldexp(1+r.Float64(), -r.IntN(20))
		if strict := len(slices.Compact(slices.Clone(d))); strict < n {
			continue
		}
		if !s.decompose(d, z, rho) {
			t.Fatalf("seed %d: failed", seed)
		}
		want := make([]float64, n*n)
		for i, v := range d {
			want[i*n+i] = v
		}
		addOuter(want, rho, z)
		worst = max(worst, distance(assemble(s.value, s.vectors, n), want))
		worstDeparture = max(worstDeparture, departure(s.vectors, n))
	}
	t.Logf("worst: matrix %.2g, U U^T %.2g", worst, worstDeparture)
	if !(worst <= 2e-14 && worstDeparture <= 2e-14) {
		t.Errorf("matrix off by %g, U U^T by %g", worst, worstDeparture)
	}
}

func BenchmarkSecular(b *testing.B) {
	for _, n := range []int{2, 5, 10, 33, 150} {
		r := rand.New(rand.NewPCG(1, 1))
		d, z := make([]float64, n), make([]float64, n)
		for i := range d {
			d[i], z[i] = r.Float64(), r.NormFloat64()
		}
		slices.Sort(d)
		scale(z, 1/math.Sqrt(vec.SquaredNorm64(z)))
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			var s secular
			for b.Loop() {
				s.decompose(d, z, 0.1)
			}
		})
		b.Run(fmt.Sprintf("dense/n=%d", n), func(b *testing.B) {
			var e eigensystem
			a, value := make([]float64, n*n), make([]float64, n)
			for b.Loop() {
				clear(a)
				for i, v := range d {
					a[i*n+i] = v
				}
				for i, v := range z {
					vec.Axpy64(a[i*n:(i+1)*n], 0.1*v, z)
				}
				e.Decompose(value, a, n)
			}
		})
	}
}
