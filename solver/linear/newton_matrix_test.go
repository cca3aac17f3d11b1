package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
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

// TestCholesky: L L^T = A, the solution solves, panels and threads change no
// bit. Sizes lie around the panel's.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	for _, size := range []int{1, 2, 3, panel - 1, panel, panel + 1, 2*panel + 5} {
		a := definite(r, size)
		var f, two cholesky
		f.decompose(slices.Clone(a), size, 1)
		two.decompose(slices.Clone(a), size, 2)
		if !slices.Equal(f.l, two.l) {
			t.Errorf("size %d: two threads give other bits", size)
		}
		g, x := make([]float64, size), make([]float64, size)
		for i := range g {
			g[i] = r.NormFloat64()
		}
		f.solve(x, g)
		for i := range size {
			product, residual := 0.0, g[i]
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
	var f cholesky
	f.decompose(a, 3, 1)
	x := make([]float64, 3)
	f.solve(x, []float64{-1, -1, -2})
	if sum := x[0] + x[1]; !(math.Abs(sum-1) < 1e-6) || !(math.Abs(x[2]-1) < 1e-15) {
		t.Errorf("found %v, expected x_0 + x_1 = 1 and x_2 = 1", x)
	}
}

// TestHessian compares with the formula, element by element: dense and sparse data,
// added both ways, enough rows for several partial sums and blocks of rows, some of
// weight 0; one thread and two.
func TestHessian(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for way := range 4 {
			p := generate(loss.Squared{}, "l2", bias, 5003, 9, way/2 == 0)
			n, d := p.Dims()
			c := make([]float64, n)
			for i := range c {
				c[i] = float64(i % 3)
			}
			m, two := newHessian(p), newHessian(p)
			m.dense, two.dense = way%2 == 0, way%2 == 0
			m.form(p, c)
			p.Threads = 2
			two.form(p, c)
			want := plainHessian(p, c)
			for j := range m.size {
				if !slices.Equal(m.lower[j*m.size:][:j+1], two.lower[j*m.size:][:j+1]) || len(m.parts) < 2 {
					t.Errorf("bias %v, way %d, row %d: two threads give other bits, or only %d parts", bias, way, j, len(m.parts))
				}
				for k := range j + 1 {
					if got := m.lower[j*m.size+k]; math.Abs(got-want[j*(d+1)+k]) > 1e-9 {
						t.Errorf("bias %v, way %d: H_%d,%d = %v, want %v", bias, way, j, k, got, want[j*(d+1)+k])
					}
				}
			}
		}
	}
}

// TestDenseEnough: the share of columns from which a row is dense falls with their
// number.
func TestDenseEnough(t *testing.T) {
	for _, c := range []struct {
		columns, used int
		want          bool
	}{{10, 10, false}, {20, 15, false}, {20, 16, true}, {100, 39, false}, {100, 40, true}, {1000, 309, false}, {1000, 310, true}} {
		index := make([]uint32, c.used)
		for k := range index {
			index[k] = uint32(k)
		}
		m := &matrix.CSR{Cols: c.columns, Start: []int64{0, int64(c.used)}, Index: index, Value: make([]float32, c.used)}
		p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1}, nil, loss.Squared{}, penalty.L2{}, 1, problem.None))
		if got := denseEnough(p); got != c.want {
			t.Errorf("%d of %d columns: %v, want %v", c.used, c.columns, got, c.want)
		}
	}
}

// plainHessian is lambda I + X^T diag(c) X with a column of ones.
func plainHessian(p *problem.Linear, c []float64) []float64 {
	n, d := p.Dims()
	h := make([]float64, (d+1)*(d+1))
	for i := range n {
		x := make([]float64, d+1)
		p.X.Row(i).AddTo(x[:d], 1)
		x[d] = 1
		for j := range x {
			for k := range x {
				h[j*(d+1)+k] += c[i] * x[j] * x[k]
			}
		}
	}
	for j := range p.Penalised() {
		h[j*(d+1)+j] += p.Lambda
	}
	return h
}

// BenchmarkCholesky times a factorisation.
func BenchmarkCholesky(b *testing.B) {
	for _, size := range []int{128, 512, 2048} {
		b.Run(fmt.Sprintf("d=%d", size), func(b *testing.B) {
			a := make([]float64, size*size)
			for i := range size {
				for j := range i {
					a[i*size+j] = 1 / float64(1+i+j)
				}
				a[i*size+i] = float64(size)
			}
			l := make([]float64, len(a))
			var f cholesky
			for b.Loop() {
				copy(l, a)
				f.decompose(l, size, 1)
			}
		})
	}
}
