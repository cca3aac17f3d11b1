package linear

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// unaimed is SDCA, for the usual gap, to be embedded by what starts it in another way.
type unaimed struct{}

func (unaimed) Accepts(p problem.Problem) error { return SDCA{}.Accepts(p) }

func (unaimed) start(p problem.Problem, start solver.Start) *sdca {
	start.Gap = 0
	return SDCA{}.Start(p, start).(*sdca)
}

// unbegun is SDCA without smoothed at the beginning.
type unbegun struct{ unaimed }

func (k unbegun) Start(p problem.Problem, start solver.Start) solver.State {
	s := k.start(p, start)
	s.other = nil
	return s
}

// begun returns SDCA on p, begun with smoothed.
type begun struct{ unaimed }

func (k begun) Start(p problem.Problem, start solver.Start) solver.State {
	s := k.start(p, start)
	s.other = newSmoothed(s.p, nil)
	return s
}

// rowsForSmoothing is a problem for smoothed but for its size.
func rowsForSmoothing(bias problem.Bias, threads int) *problem.Linear {
	p := documents(loss.Hinge{}, bias, threads)
	p.Lambda /= 100
	return p
}

// TestSmoothed: with every bias it comes near the optimum in few epochs, SDCA goes
// on from there to the same answer as alone, and the bits are those of any number
// of threads.
func TestSmoothed(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		alone := must(solver.Run(context.Background(), unbegun{}, rowsForSmoothing(bias, 2), solver.Options{Gap: 1e-2, Epochs: 20000}))
		var first *solver.Solution
		for _, threads := range []int{1, 2, 5} {
			s := must(solver.Run(context.Background(), begun{}, rowsForSmoothing(bias, threads), solver.Options{Gap: 1e-2, Epochs: 2000}))
			if s.Status != solver.Converged || s.Epochs > alone.Epochs/4 {
				t.Errorf("%v: %s at %g after %d epochs, alone %d", bias, s.Status, s.Certificate.Relative(), s.Epochs, alone.Epochs)
			}
			if s.Certificate.Dual > alone.Certificate.Primal || alone.Certificate.Dual > s.Certificate.Primal {
				t.Errorf("%v: between %g and %g, alone between %g and %g", bias, s.Certificate.Dual, s.Certificate.Primal, alone.Certificate.Dual, alone.Certificate.Primal)
			}
			if first == nil {
				first = s
			} else if !slices.Equal(s.Point.W, first.Point.W) || !slices.Equal(s.Point.A, first.Point.A) {
				t.Errorf("%v: other bits with %d threads", bias, threads)
			}
		}
	}
}

// TestSmoothedHandsOver: SDCA takes the dual variables over as they are, and the
// weights that belong to them.
func TestSmoothedHandsOver(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := documents(loss.Hinge{}, bias, 2)
		s := begun{}.Start(p, solver.Start{Seed: 1}).(*sdca)
		begin := s.other.(*smoothed)
		for s.other != nil {
			s.Epoch()
		}
		if begin.stuck || begin.epochs == smoothMost {
			t.Errorf("%v: stuck is %v after %d epochs", bias, begin.stuck, begin.epochs)
		}
		if before, bound := p.Dual(begin.point().A); bias != problem.Free {
			if after, _ := p.Dual(s.a); after < before-2*bound {
				t.Errorf("%v: the dual fell from %g to %g", bias, before, after)
			}
		}
		v, conjugate := make([]float64, len(s.a)), 0.0
		for i, a := range s.a {
			v[i] = p.S[i] * a
			conjugate += p.S[i] * p.Loss.Conjugate(a, p.Y[i])
		}
		u, _ := p.Combine(v)
		for j := range u[:len(u)-1] {
			if want := -s.factor * u[j]; math.Abs(s.u[j]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("%v: u[%d] = %g, the dual variables say %g", bias, j, s.u[j], want)
			}
		}
		if math.Abs(s.conjugate-conjugate) > 1e-9*math.Abs(conjugate) {
			t.Errorf("%v: conjugates %g, kept as %g", bias, conjugate, s.conjugate)
		}
	}
}

// TestSmoothedKnowsItsGap: without a free bias, whose certificate is more than
// the gradient, the estimate is the gap of the certificate, also when it works on the
// rows near the corner alone, and with weights.
func TestSmoothedKnowsItsGap(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature} {
		p := documents(loss.Hinge{}, bias, 2)
		for i := range p.S {
			p.N += float64(i % 3)
			p.S[i] += float64(i % 3)
		}
		s := newSmoothed(p, nil)
		for epoch := range 15 {
			s.step()
			got, want := s.estimate(), p.Certify(s.point()).Relative()
			if math.Abs(got-want) > 1e-6*want+1e-12 {
				t.Errorf("%v, epoch %d: estimate %g, gap %g", bias, epoch, got, want)
			}
		}
		if s.q == p {
			t.Errorf("%v: all rows are near to the end", bias)
		}
	}
}

// TestSuitsSmoothing: small problems that are dense or have a cheap matrix, fewer than
// four rows a column, other losses and a large lambda do not.
func TestSuitsSmoothing(t *testing.T) {
	for _, c := range []struct {
		loss     loss.Loss
		cols     int
		nonzeros int64
		times    float64 // of 1/(100n)
		want     bool
	}{
		{loss.Hinge{}, 400, 1 << 15, 1, true}, // sparse
		{loss.Hinge{}, 1000, 1 << 15, 1, true},
		{loss.Hinge{}, 100, 1 << 15, 1, false}, // cheap
		{loss.Hinge{}, 1001, 1 << 15, 1, false},
		{loss.Hinge{}, 400, 1 << 19, 1, false}, // dense
		{loss.Hinge{}, 400, 1 << 22, 1, true},
		{loss.Hinge{}, 501, 1 << 22, 1, false},
		{loss.Hinge{}, 400, 1 << 22, 100, false},
		{loss.Hinge{}, 400, 1 << 15, 100, false},
		{loss.Logistic{}, 400, 1 << 22, 1, false},
	} {
		p := documents(c.loss, problem.None, 1)
		p.Lambda *= c.times / 100
		p.Rows = &problem.Rows{X: &matrix.CSR{Cols: c.cols, Start: make([]int64, 4001)}, SquaredNorm: p.SquaredNorm, Nonzeros: c.nonzeros, Threads: 1}
		if got := suitsSmoothing(p); got != c.want {
			t.Errorf("%T, %d columns, %d nonzeros, lambda = %g/(100n): %v", c.loss, c.cols, c.nonzeros, c.times, got)
		}
	}
}

// TestCentred: with every bias it goes on to a gap that smoothing alone does not reach.
func TestCentred(t *testing.T) {
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := rowsForSmoothing(bias, 2)
		s := newSmoothed(p, nil)
		gap := 1.0
		for gap > 1e-5 && !s.done() && s.epochs < 60 {
			s.step()
			gap = p.Certify(s.point()).Relative()
		}
		if !s.centred || gap > 1e-5 {
			t.Errorf("%v: gap %g after %d epochs, centred is %v", bias, gap, s.epochs, s.centred)
		}
	}
}

// TestTowards: on the corner a slope stays, else it goes to the end where the row
// belongs, by the law of the method for short ways; it never reaches an end.
func TestTowards(t *testing.T) {
	for _, b := range []float64{centredEnd, 1e-5, 0.01, 0.3, 0.5, 0.9, 1 - 1e-5, 1 - centredEnd} {
		if got := towards(b, 0); math.Abs(got-b) > 1e-9*b {
			t.Errorf("%g on the corner became %g", b, got)
		}
		law := 1e-3 * b * (1 - b)
		if got := towards(b, 1e-3) - b; math.Abs(got-law) > 1e-2*law && b < 1-2*centredEnd {
			t.Errorf("%g moved by %g, the law says %g", b, got, law)
		}
		for _, short := range []float64{-1e300, -30, -1, 1, 30, 1e300} {
			got := towards(b, short)
			if !(got >= centredEnd && got <= 1-centredEnd) || short > 0 && got < b || short < 0 && got > b {
				t.Errorf("%g with %g widths became %g", b, short, got)
			}
		}
	}
}

// TestPart: rows that are named and rows that are copied are those of the problem; a
// part that is taken again uses its memory again.
func TestPart(t *testing.T) {
	for _, sparse := range []bool{true, false} {
		p := generate(loss.Hinge{}, "l2", problem.None, 50, 4, sparse)
		owner := newPart(p)
		few := owner.take(p, []uint32{1, 4, 20, 49})
		same(t, p, few, 1, 4, 20, 49)
		if _, copied := few.X.(*matrix.CSR); copied != sparse {
			t.Errorf("sparse is %v, but copied %v", sparse, copied)
		}
		many := owner.take(p, []uint32{0, 1, 2, 3, 4, 20, 21, 22, 23, 24, 25, 26, 48, 49})
		same(t, p, many, 0, 1, 2, 3, 4, 20, 21, 22, 23, 24, 25, 26, 48, 49)
		if _, copied := many.X.(*matrix.CSR); copied {
			t.Error("more than a quarter of the rows are copied")
		}
		same(t, many, new(part).take(many, []uint32{2, 5, 13}), 2, 5, 13)
		rows := []uint32{3, 7, 21}
		if n := testing.AllocsPerRun(10, func() { owner.take(p, rows) }); n > 20 {
			t.Errorf("taken again with %v pieces of memory", n)
		}
		owner.lend(new(part))
		if row := owner.take(p, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8}); sparse {
			if _, copied := row.X.(*matrix.CSR); copied {
				t.Error("copied into room that is lent")
			}
		}
		owner.regain()
		few = owner.take(p, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8})
		if _, copied := few.X.(*matrix.CSR); copied != sparse {
			t.Error("not copied into room that is regained")
		}
		if few.N != p.N {
			t.Errorf("N = %v, want %v", few.N, p.N)
		}
	}
}

// TestCurve: H has the rows that are curved by more than a part of the most, or of lambda,
// with the curvatures of the smoothed loss.
func TestCurve(t *testing.T) {
	p := documents(loss.Hinge{}, problem.None, 1)
	s := newSmoothed(p, nil)
	for range 8 {
		s.step()
	}
	for _, lambda := range []float64{p.Lambda, p.Lambda / 1000} {
		p.Lambda = lambda
		s.curve(0)
		least, few, next := min(leastCurved, s.tau*lambda*p.N), 0, 0
		for i, b := range s.b {
			if b > least && b < 1-least {
				if b < leastCurved || b > 1-leastCurved {
					few++
				}
				want := p.S[i] / p.N * b * (1 - b) / s.tau
				if next == len(s.curved) || s.curved[next] != uint32(i) || math.Abs(s.c[next]-want) > 1e-12*want {
					t.Fatalf("lambda %g: row %d with slope %g is missing, or not curved by %g", lambda, i, b, want)
				}
				next++
			}
		}
		if next != len(s.curved) {
			t.Errorf("lambda %g: %d rows, expected %d", lambda, len(s.curved), next)
		}
		if (few > 0) != (least < leastCurved) {
			t.Errorf("lambda %g, width %g: %d rows of little curvature", lambda, s.tau, few)
		}
	}
}
