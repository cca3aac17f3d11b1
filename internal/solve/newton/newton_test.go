package newton

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestSquaredLossTakesOneEpoch: the quadratic model is the problem itself.
func TestSquaredLossTakesOneEpoch(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := draw.Problem(loss.Squared{}, "l2", bias, 300, 20, true)
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
				rows := draw.Rows(r, 400, 6, 0.7)
				y := draw.Targets(r, rows, l)
				for _, x := range rows {
					x[2] *= 1e4
					x[3] *= 1e-3
				}
				p := must(problem.NewLinear(problem.NewRows(draw.Stored(rows, true), 1), y, nil, l, penalty.L2{}, lambda, bias))
				if (Newton{}).Accepts(p) != nil {
					continue
				}
				sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-6, Epochs: 50}))
				if sol.Status != solver.Converged {
					t.Errorf("%s, lambda %g, bias %v: %s with relative gap %g", e.Name, lambda, bias, sol.Status, sol.Certificate.Relative())
				}
			}
		}
	}
}

// TestEstimate: without asking for a certificate newton knows the gap: exactly but
// for rounding where the dual variables need no balancing, and else by its size. The
// rows are of weight 1 to 3.
func TestEstimate(t *testing.T) {
	for _, e := range loss.Entries() {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			p := draw.Problem(must(loss.New(e.Name)), "l2", bias, 1500, 12, true)
			for i := range p.S {
				p.N += float64(i % 3)
				p.S[i] += float64(i % 3)
			}
			if (Newton{}).Accepts(p) != nil {
				continue
			}
			s := Newton{}.Start(p, solver.Start{})
			for epoch := range 30 {
				s.Epoch()
				report, factor := s.(solver.Reporter).Report(), 1+1e-3
				if bias == problem.Free || !report.Exact {
					factor = 10
				}
				if math.IsNaN(report.Gap) { // the minimum of a parabola
					continue
				}
				estimate, gap := report.Gap, p.Certify(s.Point()).Relative()
				if gap < 1e-9 { // the certificate's rounding errors are as large
					break
				}
				if !(estimate < gap*factor) || !(estimate > gap/factor) {
					t.Errorf("%s, bias %v, epoch %d: estimate %g, certified %g", e.Name, bias, epoch+1, estimate, gap)
				}
			}
		}
	}
}

func (s *curved) primal() float64 { return s.p.Certify(problem.Point{W: s.w}).Primal }

// TestForetoldSlopes: where lambda is small the slopes at a point prove little, and those that the parabolas of the last
// step foretold nearly all; rows without weight have any.
func TestForetoldSlopes(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := draw.Problem(loss.Logistic{}, "l2", bias, 3000, 5, false)
		p.Lambda = 1e-7
		s := newCurved(p, loss.Logistic{}, &problem.Point{W: make([]float64, 6)})
		better := false
		for range 6 {
			s.Epoch()
			s.Report()
			slopes := p.Certify(problem.Point{W: s.w, A: s.a}).Relative()
			if proved := p.Certify(s.Point()).Relative(); s.modelled && proved < slopes/1e3 {
				better = true
			} else if proved > 2*slopes+1e-12 {
				t.Errorf("bias %v: the point proves %g, its slopes %g", bias, proved, slopes)
			}
		}
		if !better {
			t.Errorf("bias %v: the foretold slopes never proved much more", bias)
		}
	}
}

// TestParabola: the squared loss takes one step, whose predictions and slopes are those of its weights.
func TestParabola(t *testing.T) {
	p := draw.Problem(loss.Squared{}, "l2", problem.Free, 3000, 5, false)
	s := newCurved(p, loss.Squared{}, nil)
	s.Epoch()
	if gap := p.Certify(s.Point()).Relative(); !s.whole || !math.IsNaN(s.Report().Gap) || !(gap < 1e-10) {
		t.Errorf("relative gap %g after the step of a parabola (%v)", gap, s.whole)
	}
	want := make([]float64, len(s.prediction))
	if p.Predict(want, s.w); !slices.Equal(want, s.prediction) {
		t.Error("predictions are not those of the weights")
	}
}

// TestTheDualIsBalanced: with a free bias sum_i s_i a_i = 0 is one of Newton's
// equations, so the certificate has next to nothing left to balance.
func TestTheDualIsBalanced(t *testing.T) {
	for _, l := range []loss.Loss{loss.Hinge{}, loss.Logistic{}, loss.SquaredHinge{}, loss.EpsilonInsensitive{Epsilon: 0.1}} {
		p := draw.Problem(l, "l2", problem.Free, 200, 8, false)
		sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-10, Epochs: 60}))
		sum, size := 0.0, 0.0
		for i, a := range sol.Point.A {
			sum += p.S[i] * a
			size += p.S[i] * math.Abs(a)
		}
		if sol.Status != solver.Converged || math.Abs(sum) > 1e-6*size {
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
				p := draw.Problem(l, "l2", bias, 60, 5, false)
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

// TestNewtonRefusesManyColumns, whose matrix would not fit.
func TestNewtonRefusesManyColumns(t *testing.T) {
	m := &matrix.CSR{Cols: hessian.MostColumns + 1, Start: []int64{0, 0}, Index: []uint32{}}
	p := must(problem.NewLinear(problem.NewRows(m, 1), []float64{1}, nil, loss.Hinge{}, penalty.L2{}, 1, problem.None))
	want := "solver newton would need a 4097 x 4097 matrix for this loss: found 4097 features, expected at most 4096; use sdca"
	if err := (Newton{}).Accepts(p); err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
}

// TestConjugateGradients finds the same answers without the matrix.
func TestConjugateGradients(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, l := range []loss.Curved{loss.Squared{}, loss.Logistic{}, loss.SquaredHinge{}} {
			p := draw.Problem(l, "l2", bias, 300, 40, true)
			s := newCurved(p, l, nil)
			s.hessian, s.conjugate = nil, newTruncated(p)
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
		p := draw.Problem(loss.Hinge{}, "l2", bias, 500, 10, true)
		s := newInterior(p, loss.Hinge{}, startingWeights(p, nil), 0)
		s.epoch = carefulAfter
		for range 40 {
			s.Epoch()
		}
		a := make([]float64, 500)
		for i := range a {
			a[i] = s.slope(i)
		}
		if gap := p.Certify(problem.Point{W: s.w, A: a}).Relative(); gap > 1e-8 {
			t.Errorf("bias %v: relative gap %g after 40 epochs", bias, gap)
		}
	}
}

// BenchmarkNewton times one epoch on 20000 rows of 120 features.
func BenchmarkNewton(b *testing.B) {
	for _, name := range []string{"squared", "logistic", "hinge"} {
		for _, sparse := range []bool{false, true} {
			b.Run(fmt.Sprintf("loss=%s/sparse=%v", name, sparse), func(b *testing.B) {
				p := draw.Problem(must(loss.New(name)), "l2", problem.Free, 20000, 120, sparse)
				s := Newton{}.Start(p, solver.Start{})
				for b.Loop() {
					s.Epoch()
				}
			})
		}
	}
}

// TestSmoothKnowsTheEnd: epochs at the limit of the arithmetic cost nothing, and
// change nothing.
func TestSmoothKnowsTheEnd(t *testing.T) {
	for _, l := range []loss.Loss{loss.Squared{}, loss.Logistic{}, loss.SquaredHinge{}} {
		s := Newton{}.Start(draw.Problem(l, "l2", problem.Free, 60, 5, false), solver.Start{Seed: 1}).(*curved)
		for range 100 {
			s.Epoch()
		}
		if s.stuck <= mostStuck {
			t.Errorf("%T: still at work after 100 epochs", l)
		}
		before := slices.Clone(s.w)
		s.Epoch()
		if !slices.Equal(before, s.w) {
			t.Errorf("%T: still moves", l)
		}
	}
}

// TestFarFromTheEnd: slopes that grow again while the gap is large are not the limit of
// the arithmetic. Of clusters far apart few rows are curved at the optimum.
func TestFarFromTheEnd(t *testing.T) {
	const n, d = 1200, 160
	r := rand.New(rand.NewPCG(7, 1))
	center, rows, y := make([]float64, d), make([][]float32, n), make([]float64, n)
	for j := range center {
		center[j] = 2*r.Float64() - 1
	}
	for i := range rows {
		rows[i], y[i] = make([]float32, d), float64(i%2*2-1)
		for j, c := range center {
			rows[i][j] = float32(float64(y[i]*c) + float64(2*r.NormFloat64()))
		}
	}
	p := must(problem.NewLinear(problem.NewRows(draw.Stored(rows, false), 1), y, nil, loss.SquaredHinge{}, penalty.L2{}, 5e-7, problem.Free))
	sol := must(solver.Run(context.Background(), Newton{}, p, solver.Options{Gap: 1e-3, Epochs: 1000}))
	if sol.Status != solver.Converged {
		t.Errorf("%s after %d epochs with relative gap %g", sol.Status, sol.Epochs, sol.Certificate.Relative())
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
