package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestChoose: where a matrix is cheap, and where dual steps are short, second-order
// steps; how short depends on what a matrix costs and on the loss.
func TestChoose(t *testing.T) {
	few := func(l loss.Loss, lambda float64) *problem.Linear {
		p := generate(l, "l2", problem.None, 400, 10, false)
		p.Lambda = lambda
		return p
	}
	of := func(l loss.Loss, cols, words int, short float64) *problem.Linear { // 4000 rows of d columns, with so many nonzeros each
		p, squares := documents(l, problem.None, 1), 0.0
		for _, x := range p.SquaredNorm {
			squares += x
		}
		p.Lambda = squares / float64(len(p.Y)) / p.N / short
		if c := l.Smoothness(); !math.IsInf(c, 1) {
			p.Lambda *= c
		}
		p.Rows = &problem.Rows{X: &matrix.CSR{Cols: cols, Start: make([]int64, 4001)}, SquaredNorm: p.SquaredNorm, Nonzeros: int64(4000 * words), Threads: 1}
		return p
	}
	rare := func(l loss.Loss, cols int) *problem.Linear { // documents, of which every fifth has a word of its own
		p := of(l, cols, 45, 40)
		x := documents(l, problem.None, 1).X.(*matrix.CSR)
		for i := 0; i < 4000; i += 5 {
			x.Index[x.Start[i+1]-1] = uint32(600 + i%(cols-600))
		}
		x.Cols, p.X = cols, x
		return p
	}
	uneven := func(l loss.Loss, lo, hi float64) *problem.Linear { // 200 rows of 100 columns of sizes lo to hi
		m := &matrix.Dense{Rows: 200, Cols: 100, Value: make([]float32, 20000)}
		y, r := make([]float64, 200), rand.New(rand.NewPCG(9, 9))
		for i := range m.Value {
			m.Value[i] = float32(r.NormFloat64() * lo * math.Pow(hi/lo, float64(i%100)/99))
		}
		for i := range y {
			y[i] = float64(1 - 2*(i%2))
		}
		return must(problem.NewLinear(problem.NewRows(m, 1), y, nil, l, penalty.L2{}, 1.0/200, problem.None))
	}
	for _, c := range []struct {
		p    *problem.Linear
		gap  float64
		want string
	}{
		{few(loss.Logistic{}, 1.0/400), 1e-3, "newton"}, // cheap
		{few(loss.Hinge{}, 1.0/400), 1e-6, "newton"},
		{few(loss.Hinge{}, 1e-2/400), 1e-3, "newton"},
		{of(loss.Logistic{}, 300, 300, 0.1), 1e-3, "newton"}, // dense rows
		{of(loss.Hinge{}, 300, 300, 3.7), 1e-3, "sdca"},      // dense, 9.6 passes
		{of(loss.Hinge{}, 300, 300, 4), 1e-3, "newton"},
		{of(loss.Absolute{}, 300, 300, 3.7), 1e-6, "sdca"},
		{of(loss.Hinge{}, 50, 50, 0.3), 1e-3, "newton"},  // of 1.6
		{of(loss.Hinge{}, 100, 14, 0.3), 1e-3, "newton"}, // sparse
		{of(loss.Hinge{}, 220, 12, 1e3), 1e-3, "newton"}, // 43 passes by numbers, 15 by time
		{of(loss.Logistic{}, 800, 800, 0.1), 1e-3, "sdca"},
		{of(loss.Logistic{}, 1000, 50, 1.1), 1e-3, "newton"}, // curved, sparse
		{of(loss.Logistic{}, 1000, 50, 0.9), 1e-3, "sdca"},
		{of(loss.SquaredHinge{}, 1000, 50, 2.3), 1e-3, "newton"},
		{of(loss.SquaredHinge{}, 1000, 50, 2.1), 1e-3, "sdca"},
		{of(loss.Logistic{}, 4000, 50, 1.1), 1e-3, "newton"},
		{of(loss.Logistic{}, 9000, 50, 1000), 1e-3, "sdca"},
		{of(loss.SquaredHinge{}, 9000, 50, 1000), 1e-3, "sdca"}, // too few rows
		{of(loss.Squared{}, 4000, 50, 1.1), 1e-3, "newton"},
		{of(loss.Squared{}, 4001, 50, 1000), 1e-3, "sdca"},
		{of(loss.Logistic{}, 800, 240, 35), 1e-3, "sdca"}, // curved, of 142 passes
		{of(loss.Logistic{}, 800, 240, 36), 1e-3, "newton"},
		{of(loss.Hinge{}, 1000, 50, 1e6), 1e-3, "sdca"},              // smoothed
		{of(loss.HuberHinge{Width: 1}, 1000, 50, 460), 1e-3, "sdca"}, // classes, of 233 passes
		{of(loss.HuberHinge{Width: 1}, 1000, 50, 470), 1e-3, "newton"},
		{of(loss.Hinge{}, 1000, 300, 1000), 1e-3, "newton"}, // dense, 18 of 289
		{of(loss.Absolute{}, 1000, 50, 7), 1e-3, "sdca"},    // numbers
		{of(loss.Absolute{}, 1000, 50, 7.5), 1e-3, "newton"},
		{of(loss.Absolute{}, mostColumns+1, 50, 1e9), 1e-3, "sdca"},
		{documents(loss.Logistic{}, problem.None, 1), 1e-3, "sdca"},
		{generate(loss.Logistic{}, "l1", problem.None, 400, 10, false), 1e-3, "cd"},
		{generate(loss.Logistic{}, "elastic-net", problem.None, 400, 10, false), 1e-3, "cd"},
		{generate(loss.Logistic{}, "elastic-net", problem.None, 10, 400, false), 1e-3, "sdca"},
		{generate(loss.Hinge{}, "elastic-net", problem.None, 400, 10, false), 1e-3, "sdca"},
		{rare(loss.Logistic{}, 1200), 1e-3, "newton"}, // 3.3 rows a column, 6 a common one
		{rare(loss.Logistic{}, 9000), 1e-3, "sdca"},   // 0.4 rows a column
		{rare(loss.HuberHinge{Width: 1}, 1200), 1e-3, "sdca"},
		{uneven(loss.Logistic{}, 0.01, 100), 1e-3, "newton"},
		{uneven(loss.Hinge{}, 0.01, 100), 1e-3, "newton"},
		{uneven(loss.Logistic{}, 1, 1), 1e-3, "sdca"},
		{uneven(loss.Hinge{}, 1, 1), 1e-3, "sdca"},
	} {
		if got, why := Choose(c.p, c.gap); got != c.want || why == "" {
			n, d := c.p.Dims()
			t.Errorf("%T, %d x %d, %g passes, shortness %g, gap %g: %s (%s), want %s", c.p.Loss, n, d, matrixTime(c.p), shortness(c.p), c.gap, got, why, c.want)
		}
	}
}
