package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
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

// TestHessian compares with the formula, element by element: dense and sparse,
// enough rows for several partial sums, some of weight 0; one thread and two.
func TestHessian(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, sparse := range []bool{false, true} {
			p := generate(loss.Squared{}, "l2", bias, 5003, 9, sparse)
			n, d := p.Dims()
			c := make([]float64, n)
			for i := range c {
				c[i] = float64(i % 3)
			}
			m, two := newHessian(p), newHessian(p)
			m.form(p, c)
			p.Threads = 2
			two.form(p, c)
			if !slices.Equal(m.lower, two.lower) || len(m.parts) < 2 {
				t.Errorf("bias %v, sparse %v: two threads give other bits, or only %d parts", bias, sparse, len(m.parts))
			}
			want := plainHessian(p, c)
			for j := range m.size {
				for k := range j + 1 {
					if got := m.lower[j*m.size+k]; math.Abs(got-want[j*(d+1)+k]) > 1e-9 {
						t.Errorf("bias %v, sparse %v: H_%d,%d = %v, want %v", bias, sparse, j, k, got, want[j*(d+1)+k])
					}
				}
			}
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

// TestSquaredLossTakesOneEpoch: the quadratic model is the problem itself.
func TestSquaredLossTakesOneEpoch(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := generate(loss.Squared{}, "l2", bias, 300, 20, true)
		sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-12, Epochs: 1}))
		if sol.Status != solver.Converged {
			t.Errorf("bias %v: %s with relative gap %g", bias, sol.Status, sol.Certificate.Relative())
		}
	}
}

// TestNewtonForgetsLambda: the epochs hardly depend on lambda, on which those of
// every method that moves one variable at a time do; nor on the scale of single
// columns.
func TestNewtonForgetsLambda(t *testing.T) {
	for _, e := range loss.Entries() {
		for _, lambda := range []float64{1, 1e-3, 1e-6, 1e-9} {
			for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
				l := must(loss.New(e.Name))
				r := rand.New(rand.NewPCG(41, 1))
				rows := table(r, 400, 6, 0.7)
				y := targets(r, rows, l)
				for _, x := range rows {
					x[2] *= 1e4
					x[3] *= 1e-3
				}
				p := must(problem.NewLinear(problem.NewRows(stored(rows, true), 1), y, nil, l, penalty.L2{}, lambda, bias))
				sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-6, Epochs: 50}))
				if sol.Status != solver.Converged {
					t.Errorf("%s, lambda %g, bias %v: %s with relative gap %g", e.Name, lambda, bias, sol.Status, sol.Certificate.Relative())
				}
			}
		}
	}
}

// TestTheDualIsBalanced: with a free bias sum_i s_i a_i = 0 is one of Newton's
// equations, so the certificate has next to nothing left to balance.
func TestTheDualIsBalanced(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}, loss.EpsilonInsensitive{Epsilon: 0.1}} {
		p := generate(l, "l2", problem.Free, 200, 8, false)
		sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-10, Epochs: 60}))
		sum, size := 0.0, 0.0
		for i, a := range sol.Point.A {
			sum += p.S[i] * a
			size += p.S[i] * math.Abs(a)
		}
		if sol.Status != solver.Converged || math.Abs(sum) > 1e-7*size {
			t.Errorf("%T: %s, the dual variables sum to %g of %g", l, sol.Status, sum, size)
		}
	}
}

// TestNewtonStartsAnywhere: a point of another problem, even far out where
// logistic loss is straight to all digits, is only a beginning.
func TestNewtonStartsAnywhere(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}, loss.Huber{Delta: 1}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, size := range []float64{1, 1e3} {
				p := generate(l, "l2", bias, 60, 5, false)
				r := rand.New(rand.NewPCG(43, 1))
				w, a := make([]float64, 6), make([]float64, 60)
				for j := range w[:5] {
					w[j] = size * r.NormFloat64()
				}
				for i := range a {
					a[i] = size * r.NormFloat64()
				}
				for _, from := range []problem.Point{{W: w, A: a}, {W: w}, {A: a}} {
					sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-8, Epochs: 60, From: &from}))
					if sol.Status != solver.Converged {
						t.Errorf("%T, bias %v, size %g, weights %v, dual %v: %s with relative gap %g", l, bias, size, from.W != nil, from.A != nil, sol.Status, sol.Certificate.Relative())
					}
				}
			}
		}
	}
}

// TestTheRampsAreTheLoss: see loss.Cornered for the law.
func TestTheRampsAreTheLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	found := 0
	for _, spec := range []string{"hinge", "huber-hinge", "huber-hinge:width=0.3", "absolute", "huber", "huber:delta=2.5",
		"epsilon-insensitive", "epsilon-insensitive:epsilon=0"} {
		l := must(loss.New(spec)).(loss.Cornered)
		found++
		for range 200 {
			y, p := 2*r.NormFloat64(), 3*r.NormFloat64()
			if _, ok := l.(loss.Margin); ok {
				y = math.Copysign(1, y)
			}
			want := l.Value(p, y) - l.Value(0, y)
			if got := rampsAt(l, p, y) - rampsAt(l, 0, y); math.Abs(got-want) > 1e-13 {
				t.Errorf("%s: l(%v) - l(0) = %v for y = %v, by its ramps %v", spec, p, want, y, got)
			}
		}
		slope, ramps := l.Ramps(1)
		if lo, hi := l.Domain(1); slope != lo || slope+ramps[0].Jump+ramps[1].Jump != hi {
			t.Errorf("%s: slopes from %v by %v, but the domain is [%v, %v]", spec, slope, ramps, lo, hi)
		}
	}
	for _, e := range loss.Entries() {
		if _, ok := must(loss.New(e.Name)).(loss.Cornered); ok {
			found--
		}
	}
	if found != 3 {
		t.Errorf("%d more specs than losses made of ramps, expected 3", found)
	}
}

// rampsAt is the right side of the law of loss.Cornered.
func rampsAt(l loss.Cornered, p, y float64) float64 {
	slope, ramps := l.Ramps(y)
	value := slope * p
	for _, e := range ramps {
		a := 0.0
		switch beyond := p - e.At; {
		case beyond >= e.Width*e.Jump:
			a = e.Jump
		case beyond > 0:
			a = beyond / e.Width
		}
		if p > e.At {
			value += a*(p-e.At) - e.Width*a*a/2
		}
	}
	return value
}

// TestNewtonRefusesManyColumns, whose matrix would not fit.
func TestNewtonRefusesManyColumns(t *testing.T) {
	m := &matrix.CSR{Cols: mostColumns + 1, Start: []int64{0, 0}, Index: []uint32{}}
	p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1}, nil, loss.Hinge{}, penalty.L2{}, 1, problem.None))
	want := "solver newton forms a matrix of all features by all features for loss.Hinge: found 4097 features, expected at most 4096; use sdca"
	if err := (Newton{}).Accepts(p); err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
}

// TestConjugateGradients finds the same answers without the matrix.
func TestConjugateGradients(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, l := range []loss.Curved{loss.Squared{}, loss.Logistic{}, loss.SquaredHinge{}} {
			p := generate(l, "l2", bias, 300, 40, true)
			s := newSmooth(p, l, nil)
			s.hessian, s.conjugate = nil, newConjugate(p)
			for range 20 {
				s.Epoch()
			}
			if gap := p.Certify(s.Point()).Relative(); gap > 1e-10 {
				t.Errorf("%T, bias %v: relative gap %g after 20 epochs", l, bias, gap)
			}
		}
	}
}

// TestCarefulSteps: the textbook's steps, which a run falls back on, converge, too.
func TestCarefulSteps(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Free} {
		p := generate(loss.Hinge{}, "l2", bias, 500, 10, true)
		s := newInterior(p, loss.Hinge{}, nil)
		s.epoch = carefulAfter
		for range 40 {
			s.Epoch()
		}
		if gap := p.Certify(s.Point()).Relative(); gap > 1e-8 {
			t.Errorf("bias %v: relative gap %g after 40 epochs", bias, gap)
		}
	}
}

// BenchmarkNewton times one epoch on 20000 rows of 120 features.
func BenchmarkNewton(b *testing.B) {
	for _, name := range []string{"squared", "logistic", "hinge"} {
		for _, sparse := range []bool{false, true} {
			b.Run(fmt.Sprintf("loss=%s/sparse=%v", name, sparse), func(b *testing.B) {
				p := generate(must(loss.New(name)), "l2", problem.Free, 20000, 120, sparse)
				s := Newton{}.Start(p, nil, 0)
				for b.Loop() {
					s.Epoch()
				}
			})
		}
	}
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
