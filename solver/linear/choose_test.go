package linear

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
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
	for _, c := range []struct {
		p    *problem.Linear
		want string
	}{
		{few(loss.Logistic{}, 1.0/400), "newton"}, // cheap
		{few(loss.Hinge{}, 1e-2/400), "newton"},
		{of(loss.Logistic{}, 300, 300, 0.1), "newton"},   // dense rows
		{of(loss.Hinge{}, 300, 300, 3.7), "sdca+newton"}, // dense, 9.6 passes
		{of(loss.Hinge{}, 300, 300, 4), "newton"},
		{of(loss.Absolute{}, 300, 300, 3.7), "sdca+newton"},
		{of(loss.Hinge{}, 50, 50, 0.3), "newton"},           // of 1.6
		{of(loss.Hinge{}, 100, 100, 0.9), "sdca+newton"},    // of 3.2
		{of(loss.Hinge{}, 100, 14, 0.3), "newton"},          // sparse
		{of(loss.Hinge{}, 220, 12, 1e3), "newton"},          // 43 passes by numbers, 15 by time
		{of(loss.Logistic{}, 800, 800, 6.6), "sdca+newton"}, // of 27 passes
		{of(loss.Logistic{}, 800, 800, 6.7), "newton"},
		{of(loss.Logistic{}, 1000, 50, 2.1), "newton"}, // curved, sparse
		{of(loss.Logistic{}, 1000, 50, 1.9), "sdca+newton"},
		{of(loss.Squared{}, 1000, 50, 2.1), "newton"},
		{of(loss.Squared{}, 1001, 50, 1000), "sdca+newton"}, // too few rows
		{of(loss.Logistic{}, 9000, 50, 1000), "sdca+newton"},
		{of(loss.Logistic{}, 800, 100, 2.1), "newton"},      // an eighth of the columns
		{of(loss.Logistic{}, 800, 101, 2.1), "sdca+newton"}, // more
		{of(loss.Logistic{}, 800, 240, 35), "sdca+newton"},  // curved, of 142 passes
		{of(loss.Logistic{}, 800, 240, 36), "newton"},
		{of(loss.Hinge{}, 1000, 50, 1e6), "sdca+newton"},              // smoothed
		{of(loss.HuberHinge{Width: 1}, 1000, 50, 460), "sdca+newton"}, // classes, of 233 passes
		{of(loss.HuberHinge{Width: 1}, 1000, 50, 470), "newton"},
		{of(loss.Absolute{}, 1000, 50, 7), "sdca+newton"}, // numbers
		{of(loss.Absolute{}, 1000, 50, 7.5), "newton"},
		{of(loss.Absolute{}, mostColumns+1, 50, 1e9), "sdca"},
		{documents(loss.Logistic{}, problem.None, 1), "sdca+newton"},
		{generate(loss.Logistic{}, "l1", problem.None, 400, 10, false), "cd"},
		{generate(loss.Logistic{}, "elastic-net", problem.None, 400, 10, false), "cd"},
		{generate(loss.Logistic{}, "elastic-net", problem.None, 10, 400, false), "sdca+cd"},
		{generate(loss.Hinge{}, "elastic-net", problem.None, 400, 10, false), "newton"},
		{generate(loss.Hinge{}, "elastic-net", problem.None, 10, 400, false), "sdca+newton"},
		{generate(loss.Hinge{}, "elastic-net", problem.None, 10, mostColumns+1, true), "sdca"},
		{generate(loss.HuberHinge{Width: 1}, "elastic-net", problem.None, 400, 10, false), "cd"},
	} {
		if s := must(New(c.want)); s.Accepts(c.p) != nil {
			t.Errorf("%T: %s refuses it", c.p.Loss, c.want)
		}
		if got, why := Choose(c.p, 1e-3); got != c.want || why == "" {
			n, d := c.p.Dims()
			t.Errorf("%T, %d x %d, %g passes, shortness %g: %s (%s), want %s", c.p.Loss, n, d, matrixTime(c.p), shortness(c.p), got, why, c.want)
		}
	}
}

// TestRare: dual ascent begins the losses with corners where a class has an eighteenth of the
// rows by weight, but not where it has a fifteenth, nor where the gap or lambda is small.
func TestRare(t *testing.T) {
	for _, c := range []struct {
		every       int
		gap, lambda float64 // lambda times N
		want        string
	}{
		{12, 1e-3, 1, "sdca+newton"},
		{10, 1e-3, 1, "newton"},
		{12, 1.1e-4, 1, "sdca+newton"},
		{12, 1e-4, 1, "newton"},
		{12, 1e-3, 0.11, "sdca+newton"},
		{12, 1e-3, 0.09, "newton"},
	} {
		p := generate(loss.Hinge{}, "l2", problem.None, 600, 10, false) // even rows weigh 1, odd ones 2
		p.Lambda = c.lambda / p.N
		for i := range p.Y {
			p.Y[i] = -1
			if i%c.every == 0 {
				p.Y[i] = 1
			}
		}
		if got, why := Choose(p, c.gap); got != c.want {
			t.Errorf("one row of %d, gap %g, lambda %g/N: %s (%s), want %s", c.every, c.gap, c.lambda, got, why, c.want)
		}
		for i, y := range p.Y { // balanced, none is rare
			if y > 0 {
				p.N += 17 * p.S[i]
				p.S[i] *= 18
			}
		}
		if got, why := Choose(p, c.gap); got != "newton" {
			t.Errorf("one row of %d, as heavy as all others: %s (%s)", c.every, got, why)
		}
	}
}
