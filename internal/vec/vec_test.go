package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestAgainstExact compares each sum with exact rational arithmetic: the error
// of a chain of n products is at most n rounding errors of the magnitudes.
func TestAgainstExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 40 {
		w, x, index := make([]float64, 2*n+1), make([]float32, n), make([]uint32, n)
		for j := range w {
			w[j] = r.NormFloat64()
		}
		for k := range n {
			x[k], index[k] = float32(r.NormFloat64()), uint32(2*k)
		}
		dot, sparse, square := new(big.Float), new(big.Float), new(big.Float)
		magnitude := 0.0
		for k, v := range x {
			add := func(sum *big.Float, a, b float64) {
				sum.SetPrec(200).Add(sum, new(big.Float).Mul(big.NewFloat(a), big.NewFloat(b)))
			}
			add(dot, w[k], float64(v))
			add(sparse, w[2*k], float64(v))
			add(square, float64(v), float64(v))
			magnitude += math.Abs(w[k]*float64(v)) + math.Abs(w[2*k]*float64(v)) + float64(v*v)
		}
		for _, c := range []struct {
			name string
			got  float64
			want *big.Float
		}{{"Dot", Dot(w, x), dot}, {"SparseDot", SparseDot(w, index, x), sparse}, {"SquaredNorm", SquaredNorm(x), square}} {
			want, _ := c.want.Float64()
			if math.Abs(c.got-want) > float64(n+1)*0x1p-53*magnitude {
				t.Errorf("%s, n=%d: got %v, want %v", c.name, n, c.got, want)
			}
		}
	}
}

func TestAxpy(t *testing.T) {
	w := []float64{1, 2, 3, 4}
	Axpy(w, 2, []float32{1, 0, -1})
	SparseAxpy(w, -1, []uint32{1, 3}, []float32{5, 6})
	for j, want := range []float64{3, -3, 1, -2} {
		if w[j] != want {
			t.Errorf("w[%d] = %g, want %g", j, w[j], want)
		}
	}
}

func TestShrink(t *testing.T) {
	for _, c := range [][3]float64{{3, 1, 2}, {-3, 1, -2}, {0.5, 1, 0}, {-1, 1, 0}, {2, 0, 2}} {
		if got := Shrink(c[0], c[1]); got != c[2] {
			t.Errorf("Shrink(%g, %g) = %g, want %g", c[0], c[1], got, c[2])
		}
	}
}

func TestSumKeepsWhatPlainAdditionLoses(t *testing.T) {
	var s Sum
	for _, x := range []float64{1, 1e100, 1, -1e100} {
		s.Add(x)
	}
	if s.Value() != 2 {
		t.Errorf("sum = %g, want 2", s.Value())
	}
	s.Add(math.Inf(1))
	if !math.IsInf(s.Value(), 1) {
		t.Errorf("sum with an infinity = %g", s.Value())
	}
}
