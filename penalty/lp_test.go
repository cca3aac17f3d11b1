package penalty_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/penalty"
)

// The proximal point x of v satisfies x + step gradient(x) = v in each number, for sizes, steps
// and exponents of all kinds. What is left is a rounding of v, seen through the power: it
// changes q-1 times as fast as v where the gradient dominates.
func TestLPProx(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		l := penalty.LP{Exponent: 1 + math.Exp(-5*r.Float64()*r.Float64())}
		n, step, size := 1+r.IntN(30), math.Exp(12*r.NormFloat64()), math.Exp(30*r.NormFloat64())
		v, x, g := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range v {
			v[j] = size * r.NormFloat64() * math.Exp(3*r.NormFloat64())
		}
		l.Prox(x, v, step)
		l.Gradient(g, x)
		for j := range v {
			if off := math.Abs(x[j] + step*g[j] - v[j]); math.Abs(x[j]) > 1e-300 && off > 1e-12*math.Abs(v[j]) {
				t.Fatalf("p=%g step=%g: v=%g, but x=%g has x + step gradient off by %g of it", l.Exponent, step, v[j], x[j], off/math.Abs(v[j]))
			}
		}
	}
}

// With the exponent 2 the formulas are those of l2.
func TestLPOfTwoIsRidge(t *testing.T) {
	l, ridge := penalty.LP{Exponent: 2}, penalty.L2{}
	if err := conform.Penalty(l); err != nil {
		t.Error(err)
	}
	v, x, y := []float64{3, 0, -1e-5, 0.7}, make([]float64, 4), make([]float64, 4)
	for _, step := range []float64{1e-6, 1, 1e6} {
		l.Prox(x, v, step)
		ridge.Prox(y, v, step)
		for j := range v {
			if math.Abs(x[j]-y[j]) > 1e-14*math.Abs(y[j]) {
				t.Errorf("step %g: found %v, by l2 %v", step, x, y)
			}
		}
	}
}

// Numbers at the ends of the range make no NaN, and no weight longer.
func TestLPExtremes(t *testing.T) {
	for _, exponent := range []float64{math.Nextafter(1, 2), 1 + 1e-9, 1.01, 1.5, 2} {
		l := penalty.LP{Exponent: exponent}
		for _, v := range [][]float64{{0, 0}, {1e300, -1}, {1e-320, 0}, {math.MaxFloat64, math.MaxFloat64}, {1e-160, 1e160}} {
			for _, step := range []float64{0x1p-1000, 1e-9, 1, 1e300} {
				x, g, w := make([]float64, 2), make([]float64, 2), make([]float64, 2)
				l.Prox(x, v, step)
				l.Gradient(g, v)
				l.Weights(w, v)
				_, conjugate := l.Conjugate(v)
				for j := range v {
					if math.IsNaN(x[j]+w[j]+l.Value(v)+conjugate) || math.IsNaN(g[j]) || !(math.Abs(x[j]) <= math.Abs(v[j])) {
						t.Errorf("p=%g step=%g: of %v prox %v, gradient %v, weights %v, value %g, conjugate %g", exponent, step, v, x, g, w, l.Value(v), conjugate)
					}
				}
			}
		}
	}
}
