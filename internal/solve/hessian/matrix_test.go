package hessian

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestHessian compares with the formula, element by element: dense and sparse data,
// added both ways, in single and double precision, enough rows for several partial sums and blocks of rows, some of
// weight 0; one thread and two.
func TestHessian(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for way := range 8 {
			p := draw.Problem(loss.Squared{}, "l2", bias, 5003, 9, way/2%2 == 0)
			if way >= 4 {
				p = draw.Doubled(p)
			}
			n, d := p.Dims()
			c := make([]float64, n)
			for i := range c {
				c[i] = float64(i % 3)
			}
			m, two := New(p, nil), New(p, nil)
			m.dense, two.dense = way%2 == 0, way%2 == 0
			m.Form(p, c)
			p.Threads = 2
			two.Form(p, c)
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
		if got := Dense(p); got != c.want {
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
		matrix.AddRows(x[:d], p.X, i, []float64{1})
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

// TestMatrixParts: partial matrices are a power of two, at most eight and one for each block
// of rows.
func TestMatrixParts(t *testing.T) {
	for blocks, want := range []int{1, 1, 2, 2, 4, 4, 4, 4, 8, 8} {
		p := draw.Problem(loss.Hinge{}, "l2", problem.None, max(1, blocks)*parts.BlockRows, 4, true)
		if got := len(New(p, nil).parts); got != want {
			t.Errorf("%d blocks: %d parts, want %d", blocks, got, want)
		}
	}
}

// TestHessianWithoutCurvature: where no row is curved a step is one of gradient descent, and
// finite along a free bias too.
func TestHessianWithoutCurvature(t *testing.T) {
	p := draw.Problem(loss.SquaredHinge{}, "l2", problem.Free, 50, 4, true)
	m := New(p, nil)
	m.Form(p, make([]float64, 50))
	m.Decompose(p)
	x, g := make([]float64, 5), []float64{1, -2, 3, 0, 1e-3}
	m.Solve(x, g)
	for j, g := range g[:4] {
		if want := -g / p.Lambda; math.Abs(x[j]-want) > 1e-12*math.Abs(want) {
			t.Errorf("step %g along column %d, want %g", x[j], j, want)
		}
	}
	if !(x[4] < 0) || math.IsInf(x[4], 0) {
		t.Errorf("step %g along the bias", x[4])
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
