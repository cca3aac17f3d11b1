package lapack

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// TestTridiagonal: Q is orthogonal, Q T Q^T = A, of zeros, diagonals and matrices of
// low rank too, and threads change no bit. Sizes lie around that of a pass.
func TestTridiagonal(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for _, n := range []int{1, 2, 3, 15, 16, 17, 40} {
		for rank := range n + 1 {
			a := make([]float64, n*n)
			for range rank {
				x := make([]float64, n)
				for i := range x {
					x[i] = r.NormFloat64()
				}
				if rank < 3 {
					clear(x[:n/2])
				}
				for i := range n {
					vec.Axpy64(a[i*n:i*n+n], x[i], x)
				}
			}
			one, two := NewTridiagonal(slices.Clone(a), n, 1), NewTridiagonal(slices.Clone(a), n, 2)
			if !slices.Equal(one.Q, two.Q) || !slices.Equal(one.Diagonal, two.Diagonal) || !slices.Equal(one.Beside, two.Beside) {
				t.Errorf("n %d: two threads give other bits", n)
			}
			if far := one.off(a, n); far > 1e-13*float64(1+rank) {
				t.Errorf("n %d, rank %d: off by %v", n, rank, far)
			}
		}
	}
}

// off returns how far Q T Q^T is from a, and Q^T Q from I, in any element.
func (t *Tridiagonal) off(a []float64, n int) (far float64) {
	for i := range n {
		for j := range n {
			product, dot := 0.0, 0.0
			for k := range n {
				dot += t.Q[i*n+k] * t.Q[j*n+k]
				product += t.Q[k*n+i] * t.Diagonal[k] * t.Q[k*n+j]
				if k+1 < n {
					product += t.Beside[k] * (t.Q[k*n+i]*t.Q[k*n+n+j] + t.Q[k*n+n+i]*t.Q[k*n+j])
				}
			}
			if i == j {
				dot--
			}
			far = max(far, math.Abs(dot), math.Abs(product-a[i*n+j]))
		}
	}
	return far
}

// TestShifted: (T + c I) x = b.
func TestShifted(t *testing.T) {
	m := &Tridiagonal{Diagonal: []float64{2, 3, 4}, Beside: []float64{-1, 0.5}}
	for _, c := range []float64{1e-9, 1, 100} {
		b := []float64{1, -2, 5}
		x := make([]float64, 3)
		m.Shift(c).Solve(x, b)
		got := []float64{(2+c)*x[0] - x[1], -x[0] + (3+c)*x[1] + 0.5*x[2], 0.5*x[1] + (4+c)*x[2]}
		for k := range b {
			if math.Abs(got[k]-b[k]) > 1e-14 {
				t.Errorf("c %v, row %d: %v, expected %v", c, k, got[k], b[k])
			}
		}
	}
}

// BenchmarkTridiagonal times a reduction.
func BenchmarkTridiagonal(b *testing.B) {
	for _, n := range []int{200, 800, 2000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			a := make([]float64, n*n)
			l := make([]float64, len(a))
			r := rand.New(rand.NewPCG(1, 1))
			for i := range n {
				for j := range i {
					a[i*n+j] = r.NormFloat64()
					a[j*n+i] = a[i*n+j]
				}
			}
			for b.Loop() {
				copy(l, a)
				NewTridiagonal(l, n, 0)
			}
		})
	}
}
