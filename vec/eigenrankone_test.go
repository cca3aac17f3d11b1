package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawUpdate draws a diagonal with many ties, near ones among them, a factor and a vector,
// at times with zeros and with elements of very different size.
func drawUpdate(r *rand.Rand, n int) (d []float64, eta float64, z []float64) {
	d, z = make([]float64, n), make([]float64, n)
	kind, levels := r.IntN(5), 1+r.IntN(4)
	for i := range d {
		switch kind {
		case 0:
			d[i] = r.Float64()
		case 1:
			d[i] = float64(r.IntN(levels))
		case 2:
			d[i] = float64(r.IntN(levels)) + 1e-15*float64(r.IntN(20))
		case 3:
			d[i] = math.Pow(10, -20*r.Float64())
		case 4:
			d[i] = max(0, min(1, 2*r.NormFloat64()))
		}
		z[i] = r.NormFloat64()
		if r.IntN(4) == 0 {
			z[i] *= []float64{0, 1e-5, 1e-8, 1e-12, 1e-17, 1e-200}[r.IntN(6)]
		}
	}
	if r.IntN(2) == 0 {
		slices.Sort(d)
		slices.Reverse(d)
	}
	return d, math.Copysign(math.Pow(10, 3*r.NormFloat64()), r.Float64()-0.3), z
}

// dense returns diag(d) + eta z z^T.
func dense(d []float64, eta float64, z []float64) []float64 {
	n := len(d)
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = eta * (z[i] * z[j])
		}
		a[i*n+i] += d[i]
	}
	return a
}

// TestEigenRankOne compares with Jacobi and with the definition.
func TestEigenRankOne(t *testing.T) {
	count := 10000
	if testing.Short() {
		count = 1000
	}
	r := rand.New(rand.NewPCG(53, 1))
	var e Eigensystem
	worst := 0.0
	for seed := range count {
		n := 1 + r.IntN(20)
		d, eta, z := drawUpdate(r, n)
		a := dense(d, eta, z)
		values, vectors, only := make([]float64, n), make([]float64, n*n), make([]float64, n)
		e.DecomposeRankOne(values, vectors, d, eta, z)
		far := farFromEigen(a, values, vectors)
		want := jacobi(slices.Clone(a), n)
		size := max(math.Abs(want[0]), math.Abs(want[n-1]), 1e-300)
		for i, v := range want {
			far = worse(far, (v-values[i])/size)
		}
		if worst = max(worst, far); far > 1e-13 {
			t.Fatalf("update %d, n %d, eta %v, d %v, z %v: off by %.3g", seed, n, eta, d, z, far)
		}
		if e.DecomposeRankOne(only, nil, d, eta, z); !slices.Equal(only, values) {
			t.Fatalf("update %d: other values without vectors", seed)
		}
	}
	t.Logf("worst error %.3g", worst)
}

func BenchmarkEigenRankOne(b *testing.B) {
	for _, n := range []int{5, 9, 10, 20, 40} {
		for _, ties := range []bool{false, true} {
			r := rand.New(rand.NewPCG(1, 1))
			d, z := make([]float64, n), make([]float64, n)
			for i := range n {
				d[i], z[i] = r.Float64(), r.NormFloat64()
				if ties && i%2 == 0 {
					d[i] = 1
				}
			}
			a := dense(d, 0.1, z)
			values, vectors, scratch := make([]float64, n), make([]float64, n*n), make([]float64, n*n)
			var e Eigensystem
			b.Run(fmt.Sprintf("n=%d/ties=%v/method=secular", n, ties), func(b *testing.B) {
				for b.Loop() {
					e.DecomposeRankOne(values, vectors, d, 0.1, z)
				}
			})
			b.Run(fmt.Sprintf("n=%d/ties=%v/method=QR", n, ties), func(b *testing.B) {
				for b.Loop() {
					copy(scratch, a)
					e.Decompose(values, vectors, scratch, n, 1)
				}
			})
		}
	}
}
