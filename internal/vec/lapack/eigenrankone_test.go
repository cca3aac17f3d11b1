package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
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

// TestEigenRankOneSizes: numbers of any size, ties whole, and the order of equal values.
func TestEigenRankOneSizes(t *testing.T) {
	const big, small = 1e300, 1e-300
	for name, c := range map[string]struct {
		d    []float64
		eta  float64
		z    []float64
		want []float64
	}{
		"none":       {},
		"one":        {[]float64{2}, 3, []float64{4}, []float64{50}},
		"zero":       {[]float64{0, 0}, 0, []float64{0, 0}, []float64{0, 0}},
		"no change":  {[]float64{1, 3, 2}, 0, []float64{1, 1, 1}, []float64{3, 2, 1}},
		"from zero":  {[]float64{0, 0, 0}, 2, []float64{1, 2, 2}, []float64{18, 0, 0}},
		"downwards":  {[]float64{0, 0, 0}, -2, []float64{1, 2, 2}, []float64{0, 0, -18}},
		"to zero":    {[]float64{1, 1}, -0.5, []float64{1, 1}, []float64{1, 0}},
		"big d":      {[]float64{big, -big}, 1, []float64{1, 1}, []float64{big, -big}},
		"big z":      {[]float64{0, 1}, small, []float64{big, big}, []float64{2 * big, 0.5}},
		"small z":    {[]float64{0, 0}, big, []float64{small, small}, []float64{2 * small, 0}},
		"all small":  {[]float64{small, small}, small, []float64{1, 1}, []float64{3 * small, small}},
		"too big":    {[]float64{0, 1}, big, []float64{big, big}, []float64{math.Inf(1), 0}},
		"unit":       {[]float64{1, 1, 1}, 1, []float64{0, 1, 0}, []float64{2, 1, 1}},
		"nearly one": {[]float64{1, 1 + 0x1p-52}, 1, []float64{1, 1}, []float64{3, 1}},
	} {
		n := len(c.d)
		values, vectors := make([]float64, n), make([]float64, n*n)
		var e Eigensystem
		e.DecomposeRankOne(values, vectors, c.d, c.eta, c.z)
		for i, want := range c.want {
			if size := max(math.Abs(c.want[0]), math.Abs(c.want[n-1])); values[i] != want && !(math.Abs(values[i]-want) <= 1e-15*size) {
				t.Errorf("%s: values %v, expected %v", name, values, c.want)
			}
			for j := range n {
				dot := vec.Dot64(vectors[i*n:i*n+n], vectors[j*n:j*n+n])
				if math.Abs(dot-float64(1-min(1, max(i-j, j-i)))) > 1e-15 {
					t.Errorf("%s: vectors %v are not orthonormal", name, vectors)
				}
			}
		}
	}
	values, vectors := make([]float64, 4), make([]float64, 16)
	new(Eigensystem).DecomposeRankOne(values, vectors, []float64{1, 2, 1, 2}, 5, []float64{0, 0, 0, 0})
	for to, from := range []int{1, 3, 0, 2} {
		if vectors[4*to+from] != 1 {
			t.Errorf("vector %d: %v, expected unit vector %d", to, vectors[4*to:4*to+4], from)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		for _, f := range []func(){
			func() { new(Eigensystem).DecomposeRankOne(values, nil, []float64{1, 2, bad, 2}, 5, vectors) },
			func() { new(Eigensystem).DecomposeRankOne(values, nil, vectors[:4], bad, vectors) },
			func() { new(Eigensystem).DecomposeRankOne(values, nil, vectors[:4], 1, []float64{0, bad, 1, 1}) },
		} {
			if f(); !vectest.SameBits(values, []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}) {
				t.Errorf("of %v: values %v, expected NaN", bad, values)
			}
		}
	}
}

// TestEigenRankOneLarge: many rows, and ever more updates of one matrix; no memory is
// asked for again.
func TestEigenRankOneLarge(t *testing.T) {
	const n = 150
	r := rand.New(rand.NewPCG(59, 1))
	d, z, values, vectors := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*n)
	var e Eigensystem
	for range 20 {
		for i := range z {
			z[i] = r.NormFloat64()
		}
		e.DecomposeRankOne(values, vectors, d, 0.3, z)
		if far := farFromEigen(dense(d, 0.3, z), values, vectors); far > 1e-14 {
			t.Fatalf("off by %v", far)
		}
		for i, v := range values { // as the projection of stochastic gradients caps them
			d[i] = min(v, 1)
		}
	}
	if count := testing.AllocsPerRun(5, func() { e.DecomposeRankOne(values, vectors, d, 0.3, z) }); count > 0 {
		t.Errorf("%v allocations", count)
	}
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
