package certificate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Of products of rows that are known, which are off by as much as is told: no bound is above what a basis captures of the
// rows themselves, or below the largest eigenvalues, and both are close where the basis is good and the error small.
func TestProductsAreATheorem(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 60 {
		n, d, k := 6+r.IntN(30), 3+r.IntN(6), 1+r.IntN(3)
		x := make([]float64, n*d)
		for i := range x {
			x[i] = r.NormFloat64() * float64(1+i%d)
		}
		s, frobenius := make([]float64, n*n), 0.0
		algebra.Multiply(s, x, x, n, n, d, 1)
		algebra.Scale(s, 1/float64(n))
		values, vectors := make([]float64, n), make([]float64, n*n)
		lapack.Eigen(values, vectors, append([]float64{}, s...), n, 1)
		best := algebra.Total(values[:k])
		wrong := []float64{1e-13, 1e-3, 0.1}[r.IntN(3)] * values[0]
		off := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				off[i*n+j] = r.NormFloat64()
				off[j*n+i] = off[i*n+j]
			}
		}
		frobenius = math.Sqrt(vec.SquaredNorm64(off))
		vec.Axpy64(s, 0.99*wrong/frobenius, off)
		basis := append([]float64{}, vectors[:k*n]...)
		good := r.IntN(2) == 0
		for i := range basis {
			if !good {
				basis[i] += 0.3 * r.NormFloat64()
			}
		}
		c, err := OfProducts(context.Background(), s, n, wrong, method.Basis{K: k, Cols: n, Component: append([]float64{}, basis...)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		directions := make([]float64, k*d) // X^T a of each row a
		for i := range k {
			for j := range n {
				vec.Axpy64(directions[i*d:(i+1)*d], basis[i*n+j], x[j*d:(j+1)*d])
			}
		}
		algebra.Orthonormalise(directions, k, d)
		captured := 0.0
		for i := range n {
			for l := range k {
				p := vec.Dot64(x[i*d:(i+1)*d], directions[l*d:(l+1)*d])
				captured += float64(p*p) / float64(n)
			}
		}
		if c.Upper < best*(1-1e-13) || c.Captured > captured*(1+1e-13) {
			t.Errorf("n %d, d %d, k %d, wrong %g: bounds %g <= %g <= %g <= %g do not hold", n, d, k, wrong, c.Captured, captured, best, c.Upper)
		}
		if good && wrong < 1e-9*values[0] && (c.Upper > best*(1+1e-6) || c.Captured < best*(1-1e-6)) {
			t.Errorf("n %d, d %d, k %d: bounds %g and %g of %g are not close", n, d, k, c.Captured, c.Upper, best)
		}
	}
	for _, size := range []float64{1e-200, 1e200, math.NaN()} {
		if _, err := OfProducts(context.Background(), []float64{size, 0, 0, size}, 2, 0, method.Basis{K: 1, Cols: 2, Component: []float64{1, 0}}, 1); err == nil {
			t.Errorf("products of %g were taken", size)
		}
	}
}
