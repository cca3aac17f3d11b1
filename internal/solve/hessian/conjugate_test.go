package hessian

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestProduct: a product of one pass over the rows, and the diagonal, are those of two
// passes and of the rows one by one, the product to the bit and for any number of threads.
func TestProduct(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, n := range []int{700, 9*parts.BlockRows + 5} {
				p := draw.Problem(loss.Logistic{}, "l2", bias, n, 9, sparse)
				c, s, along, want := make([]float64, n), make([]float64, 10), make([]float64, n), make([]float64, 10)
				for i := range c {
					c[i] = float64(1+i%7) / float64(n)
				}
				for j := range s[:p.Penalised()] {
					s[j] = float64(j) - 3.3
				}
				if bias == problem.Free {
					s[9] = 0.7
				}
				p.Predict(along, s)
				v := slices.Clone(along)
				for i := range v {
					v[i] *= c[i]
				}
				parts.GradientTo(want, p, s, v)
				for p.Threads = range 4 {
					m := NewConjugate(p)
					if hs := m.Product(p, c, s); !slices.Equal(hs, want) || !slices.Equal(m.along, along) {
						t.Errorf("sparse %v, bias %v, %d rows, %d threads: product %v, expected %v", sparse, bias, n, p.Threads, hs, want)
					}
					m.Prepare(p, c)
					checkDiagonal(t, m.Diagonal, p, c)
				}
			}
		}
	}
}

func checkDiagonal(t *testing.T, diagonal []float64, p *problem.Linear, c []float64) {
	t.Helper()
	want := make([]float64, len(diagonal))
	for j := range want {
		if want[j] = 1e-12; j < p.Penalised() {
			want[j] = p.Lambda
		}
	}
	for i, c := range c {
		x := p.X.Row(i)
		for k, v := range x.Value {
			want[x.Column(k)] += c * float64(v) * float64(v)
		}
		want[len(want)-1] += c
	}
	for j, x := range diagonal {
		if math.Abs(x-want[j]) > 1e-12*want[j] {
			t.Errorf("element %d of the diagonal is %g, expected %g", j, x, want[j])
		}
	}
}
