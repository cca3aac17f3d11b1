package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// definite draws the lower triangle of a positive definite matrix B B^T + I.
func definite(r *rand.Rand, size int) []float64 {
	b := make([]float64, size*size)
	for k := range b {
		b[k] = r.NormFloat64()
	}
	a := make([]float64, size*size)
	for i := range size {
		for j := range i + 1 {
			for k := range size {
				a[i*size+j] += b[i*size+k] * b[j*size+k]
			}
		}
		a[i*size+i]++
	}
	return a
}

// TestCholesky: L L^T = A, the solution solves, panels, threads and what was factored
// before change no bit. Sizes lie around those of panels and strips.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	var again Cholesky // whose room was made for smaller ones
	for _, size := range []int{1, 2, 3, panel - 1, panel, panel + 1, 2*panel + 5, panel + strip - 1, panel + strip, panel + 2*strip + 1} {
		a := definite(r, size)
		var f, two Cholesky
		f.Decompose(slices.Clone(a), size, 1)
		two.Decompose(slices.Clone(a), size, 2)
		again.Decompose(slices.Clone(a), size, 1)
		if !slices.Equal(f.l, two.l) {
			t.Errorf("size %d: two threads give other bits", size)
		}
		if !slices.Equal(f.l, again.l) {
			t.Errorf("size %d: a factor that is used again has other bits", size)
		}
		g, x := make([]float64, size), make([]float64, size)
		for i := range g {
			g[i] = r.NormFloat64()
		}
		f.Solve(x, g)
		for i := range size {
			product, residual := 0.0, -g[i]
			for j := range size {
				residual += a[max(i, j)*size+min(i, j)] * x[j]
			}
			for k := range i + 1 {
				product += f.l[i*size+k] * f.l[i*size+k]
			}
			scale := a[i*size+i]
			if math.Abs(product-scale) > 1e-12*scale || math.Abs(residual) > 1e-11*scale {
				t.Errorf("size %d, row %d: (L L^T)_ii = %v, want %v; residual %v", size, i, product, scale, residual)
			}
		}
	}
}

// TestCholeskyOfDependentColumns: two equal columns leave a pivot that is all
// rounding; the solution must stay of the size of the right one.
func TestCholeskyOfDependentColumns(t *testing.T) {
	a := []float64{1, 0, 0, 1, 1, 0, 0, 0, 2} // the lower triangle of a singular matrix
	var f Cholesky
	f.Decompose(a, 3, 1)
	x := make([]float64, 3)
	f.Solve(x, []float64{1, 1, 2})
	if sum := x[0] + x[1]; !(math.Abs(sum-1) < 1e-6) || !(math.Abs(x[2]-1) < 1e-15) {
		t.Errorf("found %v, expected x_0 + x_1 = 1 and x_2 = 1", x)
	}
}

// BenchmarkCholesky times a factorisation.
func BenchmarkCholesky(b *testing.B) {
	for _, size := range []int{54, 123, 300, 512, 2048} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("d=%d/threads=%d", size, threads), func(b *testing.B) {
				a := make([]float64, size*size)
				for i := range size {
					for j := range i {
						a[i*size+j] = 1 / float64(1+i+j)
					}
					a[i*size+i] = float64(size)
				}
				l := make([]float64, len(a))
				var f Cholesky
				for b.Loop() {
					copy(l, a)
					f.Decompose(l, size, threads)
				}
			})
		}
	}
}
