package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

// jacobi is the reference: cyclic Jacobi rotations (Golub and Van Loan 8.5.3). It
// returns the eigenvalues, descending.
func jacobi(a []float64, n int) []float64 {
	for range 60 {
		done := true
		for p := range n {
			for q := p + 1; q < n; q++ {
				x := a[p*n+q]
				if math.Abs(x) <= 0x1p-54*math.Sqrt(math.Abs(a[p*n+p]))*math.Sqrt(math.Abs(a[q*n+q])) || math.Abs(x) < 1e-300 {
					continue
				}
				done = false
				theta := (a[q*n+q] - a[p*n+p]) / (2 * x)
				t := math.Copysign(1/(math.Abs(theta)+math.Hypot(theta, 1)), theta)
				c := 1 / math.Hypot(t, 1)
				for k := range n {
					y, z := a[k*n+p], a[k*n+q]
					a[k*n+p], a[k*n+q] = c*y-t*c*z, t*c*y+c*z
				}
				for k := range n {
					y, z := a[p*n+k], a[q*n+k]
					a[p*n+k], a[q*n+k] = c*y-t*c*z, t*c*y+c*z
				}
			}
		}
		if done {
			break
		}
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = a[i*n+i]
	}
	slices.Sort(values)
	slices.Reverse(values)
	return values
}

// rotated returns U diag(values) U^T with a random orthogonal U, exactly symmetric.
func rotated(r *rand.Rand, values []float64) []float64 {
	n := len(values)
	a := make([]float64, n*n)
	for i, v := range values {
		a[i*n+i] = v
	}
	x := make([]float64, n)
	for range 3 { // reflections on both sides
		for i := range x {
			x[i] = r.NormFloat64()
		}
		norm := vec.SquaredNorm64(x)
		for range 2 {
			for i := range n {
				row := a[i*n : i*n+n]
				vec.Axpy64(row, -2/norm*vec.Dot64(row, x), x)
			}
			blas.Transpose64(blas.Block[float64]{Value: slices.Clone(a), Rows: n, Cols: n, Stride: n}, blas.Block[float64]{Value: a, Rows: n, Cols: n, Stride: n})
			b := slices.Clone(a)
			blas.Transpose64(blas.Block[float64]{Value: a, Rows: n, Cols: n, Stride: n}, blas.Block[float64]{Value: b, Rows: n, Cols: n, Stride: n})
		}
	}
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

// spectra returns matrices of every sort.
func spectra(r *rand.Rand, n int) map[string][]float64 {
	values := func(f func(i int) float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		return rotated(r, v)
	}
	each := func(f func(i, j int) float64) []float64 {
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				a[i*n+j] = f(i, j)
				a[j*n+i] = a[i*n+j]
			}
		}
		return a
	}
	random := func(i, j int) float64 { return r.NormFloat64() }
	z := make([]float64, n)
	for i := range z {
		z[i] = r.NormFloat64() * float64(r.IntN(3))
	}
	return map[string][]float64{
		"random":    each(random),
		"clustered": values(func(i int) float64 { return 1 + float64(i%3) + 1e-13*r.NormFloat64() }),
		"equal":     values(func(i int) float64 { return float64(1 + i%2) }),
		"graded":    each(func(i, j int) float64 { return r.NormFloat64() * math.Pow(0.1, float64(i+j)/2) }),
		"graded up": each(func(i, j int) float64 { return r.NormFloat64() * math.Pow(0.1, float64(2*n-2-i-j)/2) }),
		"decades":   values(func(i int) float64 { return math.Pow(10, -20*float64(i)/float64(n)) }),
		"rank one":  each(func(i, j int) float64 { return z[i] * z[j] }),
		"deficient": values(func(i int) float64 { return max(0, float64(3-i)) }),
		"zero":      each(func(i, j int) float64 { return 0 }),
		"identity":  each(func(i, j int) float64 { return float64(1 - min(1, i-j)) }),
		"no trace":  each(func(i, j int) float64 { return float64(min(1, i-j)) }),
		"path":      each(func(i, j int) float64 { return float64((2 - (i - j)) * min(1, i-j) * max(0, 2-(i-j))) }),
		"update":    each(func(i, j int) float64 { return float64((1-min(1, i-j))*((n-i)/3)) + 0.7*z[i]*z[j] }),
		"Wilkinson": each(func(i, j int) float64 {
			return float64((1-min(1, i-j))*max(n/2-i, i-n/2) + (2-(i-j))*min(1, i-j)*max(0, 2-(i-j)))
		}),
		"tiny":       each(func(i, j int) float64 { return 1e-300 * r.NormFloat64() }),
		"denormal":   each(func(i, j int) float64 { return 1e-320 * r.NormFloat64() }),
		"huge":       each(func(i, j int) float64 { return 1e300 * r.NormFloat64() }),
		"everything": each(func(i, j int) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) }),
		"sparse":     each(func(i, j int) float64 { return r.NormFloat64() * float64(r.IntN(n+1)/max(1, n)) }),
	}
}

// TestEigen holds all sorts of matrices to the definition: A v = value v and orthogonal
// v within n*2^-50 of the largest value; threads change no bit, nor do vectors the
// values, nor whether all are wanted; small ones agree with Jacobi. Values that are denormal are rounded as such.
func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 1))
	var e Eigensystem
	for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 9, 10, 16, 17, 31, 40, 63, 64, 65, 100, 133, 256} {
		if testing.Short() && n > 100 {
			continue
		}
		for name, a := range spectra(r, n) {
			values, vectors := make([]float64, n), make([]float64, n*n)
			e.Decompose(values, vectors, slices.Clone(a), n, 1)
			if far := farFromEigen(a, values, vectors); far > float64(n)*0x1p-50 && !(name == "denormal" && far < 1e-3) {
				t.Errorf("%s, n %d: off by %.3g", name, n, far)
			}
			same, again := make([]float64, n), make([]float64, n*n)
			Eigen(same, again, slices.Clone(a), n, 3)
			if !slices.Equal(values, same) || !slices.Equal(vectors, again) {
				t.Errorf("%s, n %d: three threads give other bits", name, n)
			}
			if Eigen(same, nil, slices.Clone(a), n, 2); !slices.Equal(values, same) {
				t.Errorf("%s, n %d: other values without vectors", name, n)
			}
			if some := n / 3; !slices.Equal(vectors[:some*n], e.Leading(same, slices.Clone(a), n, 2, func([]float64) int { return some })) || !slices.Equal(values, same) {
				t.Errorf("%s, n %d: the first vectors alone are others", name, n)
			}
			if n > 0 && n <= 40 && !slices.Contains([]string{"huge", "tiny", "denormal", "everything"}, name) {
				for i, v := range jacobi(slices.Clone(a), n) {
					if size := max(values[0], -values[n-1]); math.Abs(v-values[i]) > float64(n)*0x1p-50*size {
						t.Errorf("%s, n %d: value %d is %v, Jacobi has %v", name, n, i, values[i], v)
					}
				}
			}
		}
	}
}

// farFromEigen returns by how much the definition is missed: A v - value v in any
// element, beside the largest value; inner products of v; the order.
func farFromEigen(a, values, vectors []float64) (far float64) {
	n := len(values)
	if n == 0 {
		return 0
	}
	_, exponent := math.Frexp(max(values[0], -values[n-1]))
	down := func(x float64) float64 { return math.Ldexp(x, -exponent) }
	scaled := make([]float64, n*n)
	for i, x := range a {
		scaled[i] = down(x)
	}
	for i := range n {
		v := vectors[i*n : i*n+n]
		for j := range n {
			far = worse(far, vec.Dot64(scaled[j*n:j*n+n], v)-float64(down(values[i])*v[j]))
			dot := vec.Dot64(v, vectors[j*n:j*n+n])
			if i == j {
				dot--
			}
			far = worse(far, dot)
		}
		if i > 0 && !(values[i-1] >= values[i]) {
			return math.Inf(1)
		}
	}
	return far
}

// worse is max(far, |x|), NaN being worst.
func worse(far, x float64) float64 {
	if x != x {
		return math.Inf(1)
	}
	return max(far, math.Abs(x))
}

// TestEigenDiagonal: a diagonal is sorted stably, whatever else a matrix holds.
func TestEigenDiagonal(t *testing.T) {
	values, vectors := make([]float64, 5), make([]float64, 25)
	Eigen(values, vectors, []float64{
		4, 0, 0, 0, 0,
		0, 7, 0, 0, 0,
		0, 0, 2, 0, 1,
		0, 0, 0, 7, 0,
		0, 0, 1, 0, 2}, 5, 1)
	if want := []float64{7, 7, 4, 3, 1}; farFrom(values, want) > 1e-15 {
		t.Errorf("values %v, expected %v", values, want)
	}
	for to, from := range []int{1, 3, 0, -1, -1} {
		for j, x := range vectors[5*to : 5*to+5] {
			if from >= 0 && x != float64(1-min(1, max(j-from, from-j))) {
				t.Errorf("vector %d: %v, expected unit vector %d", to, vectors[5*to:5*to+5], from)
			}
		}
	}
}

func farFrom(x, y []float64) (far float64) {
	for i := range x {
		far = worse(far, x[i]-y[i])
	}
	return far
}

// TestEigenNotFinite: all is NaN, and soon.
func TestEigenNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		values, vectors := make([]float64, 3), make([]float64, 9)
		Eigen(values, vectors, []float64{1, 2, bad, 2, 1, 0, bad, 0, 1}, 3, 1)
		for _, x := range append(values, vectors...) {
			if x == x {
				t.Errorf("of %v: %v and %v, expected NaN", bad, values, vectors)
			}
		}
	}
}

// TestEigenMemory: a system that has been used needs no more memory.
func TestEigenMemory(t *testing.T) {
	a := spectra(rand.New(rand.NewPCG(1, 2)), 40)["random"]
	values, vectors, scratch := make([]float64, 40), make([]float64, 1600), make([]float64, 1600)
	var e Eigensystem
	if n := testing.AllocsPerRun(10, func() {
		copy(scratch, a)
		e.Decompose(values, vectors, scratch, 40, 0)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEigen(b *testing.B) {
	for _, n := range []int{5, 10, 20, 40, 100, 300, 784} {
		for _, vectors := range []bool{true, false} {
			for _, sort := range []string{"random", "update"} {
				vectest.EveryLevel(b, fmt.Sprintf("n=%d/vectors=%v/sort=%s", n, vectors, sort), func(b *testing.B) {
					a := spectra(rand.New(rand.NewPCG(1, 1)), n)[sort]
					values, scratch, v := make([]float64, n), make([]float64, n*n), make([]float64, n*n)
					if !vectors {
						v = nil
					}
					var e Eigensystem
					for b.Loop() {
						copy(scratch, a)
						e.Decompose(values, v, scratch, n, 0)
					}
				})
			}
		}
	}
}
