package newton

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestConjugateMove: the step of the predictions is that of the weights, and the
// diagonal is made anew once it has served for some products.
func TestConjugateMove(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.Free, 3*parts.BlockRows+7, 40, true)
	p.Lambda = 1e-6
	s := newCurved(p, loss.Logistic{}, &problem.Point{W: make([]float64, 41)})
	s.hessian, s.conjugate = nil, newTruncated(p)
	renewed := 0
	for range 6 {
		before, since := slices.Clone(s.conjugate.Diagonal), s.conjugate.since
		s.Epoch()
		if !slices.Equal(before, s.conjugate.Diagonal) {
			renewed++
		}
		if kept := since > 0 && since <= mostSince; kept != slices.Equal(before, s.conjugate.Diagonal) {
			t.Errorf("after %d products the diagonal is kept: %v", since, !kept)
		}
		want := make([]float64, len(s.move))
		p.Predict(want, s.d)
		for i := range want {
			want[i] -= s.move[i]
		}
		if off := vec.SquaredNorm64(want); off > 1e-26*vec.SquaredNorm64(s.move) {
			t.Fatalf("the step of the predictions is off by %g", math.Sqrt(off))
		}
	}
	if renewed < 2 {
		t.Errorf("the diagonal was made %d times, expected more than once", renewed)
	}
}

// TestConjugateSearch: a step that costs many products goes to where the slope is a
// tenth of what it was, also where half is left after the whole step.
func TestConjugateSearch(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 2000, 8, true)
	p.Lambda = 1e-7
	s := newCurved(p, loss.Logistic{}, &problem.Point{W: make([]float64, 9)})
	s.hessian, s.conjugate = nil, newTruncated(p)
	whole := 0
	for range 4 {
		s.Epoch()
		s.gradient()
		if left := math.Abs(parts.Inner(s.g, s.d)); left > 0.101*s.drop {
			t.Errorf("a step of length %g leaves %g of a slope of %g", s.length, left, s.drop)
		}
		if s.length == 1 {
			whole++
		}
	}
	if whole == 4 {
		t.Error("all steps have the length 1: nothing was searched")
	}
}

// TestPointAfresh: near the limit of the arithmetic the slopes of a point are those of
// its weights to the bit; far from it what the estimate saw is taken, without a pass.
func TestPointAfresh(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 500, 20, true)
	p.Lambda = 1e-5
	s := newCurved(p, loss.Logistic{}, nil)
	afresh := 0
	for range 12 {
		s.Epoch()
		far := s.Report().Gap >= fresh
		s.Point()
		if s.modelled { // which are no slopes of predictions
			continue
		}
		if s.current != far {
			t.Errorf("relative gap %g: the gradient is kept: %v", s.gap, s.current)
		}
		if far {
			continue
		}
		afresh++
		want := make([]float64, len(s.prediction))
		p.Predict(want, s.w)
		if !slices.Equal(want, s.prediction) {
			t.Error("predictions are not those of the weights")
		}
	}
	if afresh == 0 || afresh == 12 {
		t.Errorf("%d of 12 points were made afresh", afresh)
	}
}

// TestFactorScales: where H is expensive its factor serves many epochs, that of a sample's H
// too, as long as it takes few products; the answers are the same. Not where curvatures
// jump.
func TestFactorScales(t *testing.T) {
	if s := newCurved(draw.Problem(loss.SquaredHinge{}, "l2", problem.None, 3000, 80, false), loss.SquaredHinge{}, nil); s.conjugate != nil {
		t.Error("conjugate gradients with the factor of a loss whose curvature jumps")
	}
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for _, n := range []int{3000, 2 * fewestRows} {
			p := draw.Problem(loss.Logistic{}, "l2", bias, n, 80, false)
			p.Lambda = 1e-5
			s := newCurved(p, loss.Logistic{}, nil)
			if s.conjugate == nil || s.conjugate.most != 5 || worthStart(p) != (s.conjugate.Factor != nil) {
				t.Fatalf("%d rows: no conjugate gradients, or the factor of a sample is not there", n)
			}
			few, most := 0, 0
			for range 30 {
				s.Epoch()
				switch s.conjugate.last {
				case 0: // a new factor
				case s.conjugate.most:
					most++
				default:
					few++
				}
			}
			if gap := p.Certify(s.Point()).Relative(); gap > 1e-9 {
				t.Errorf("bias %v, %d rows: relative gap %g after 30 epochs", bias, n, gap)
			}
			if few == 0 {
				t.Errorf("bias %v, %d rows: no factor served; %d were tired", bias, n, most)
			}
		}
	}
}

// TestLeastResidual: near the end of a run no more than a twentieth of the gradient is
// asked for, in its beginning a tenth.
func TestLeastResidual(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 2000, 60, true)
	p.Lambda = 1e-4
	s := newCurved(p, loss.Logistic{}, &problem.Point{W: make([]float64, 61)})
	m := newTruncated(p)
	s.gradient()
	size := math.Sqrt(parts.Inner(s.g, s.g))
	for first, want := range map[float64]float64{size: 0.1, 1e12 * size: 0.05} {
		m.first = first
		m.step(s.d, s.move, s.g, p, s.c)
		products := m.last
		left := slices.Clone(m.Product(p, s.c, s.d))
		vec.Axpy64(left, 1, s.g)
		if left := math.Sqrt(vec.SquaredNorm64(left)) / size; left > want || left < 1e-4 {
			t.Errorf("first gradient %g: %g of the gradient is left", first, left)
		}
		if m.Solve(s.d, nil, s.g, want*size, mostProducts, p, s.c) != products {
			t.Errorf("first gradient %g: %d products are more than %g of the gradient takes", first, products, want)
		}
	}
}

// TestTrial: dense rows stay with conjugate gradients where columns are nearly independent,
// whatever their scales, and go over to the matrix where they are not, before it would have
// been cheaper; from there on as if it had been so from the beginning.
func TestTrial(t *testing.T) {
	for _, l := range []loss.Loss{loss.Logistic{}, loss.SquaredHinge{}, loss.Squared{}} {
		for _, kept := range []float64{0, 0.95} {
			p := draw.Problem(l, "l2", problem.None, 3200, 400, false)
			for row := range slices.Chunk(p.X.(*matrix.Dense).Value, 400) {
				for j := 1; j < len(row); j++ {
					row[j] += float32(kept) * row[j-1]
				}
				for j := range row {
					row[j] *= float32(1 + j%7)
				}
			}
			p.Rows = problem.NewRows(p.X, 2)
			s := newCurved(p, l.(loss.Curved), nil)
			first := s.conjugate
			for s.Epoch(); s.Report().Gap > 1e-6 && first.steps < 20; s.Epoch() {
			}
			if gap := p.Certify(s.Point()).Relative(); gap > 1e-6 {
				t.Errorf("%T, %g: relative gap %g", l, kept, gap)
			}
			switch most := first.matrix/trialShare + 1; {
			case kept == 0 && s.hessian != nil:
				t.Errorf("%T: a matrix after %d products of %d steps", l, first.spent, first.steps)
			case kept != 0 && (s.hessian == nil || first.spent > most || first.steps > trialSteps):
				t.Errorf("%T: no matrix, or after %d products of %d steps, expected %d at most", l, first.spent, first.steps, most)
			}
		}
	}
	p := draw.Problem(loss.Logistic{}, "l2", problem.None, 3200, 400, false)
	p.Lambda = 1e-5
	s := newCurved(p, loss.Logistic{}, nil)
	first := s.conjugate
	first.matrix, first.steps = 16, trialSteps
	for range 6 {
		s.Epoch()
	}
	if s.hessian == nil || first.spent != 16 {
		t.Errorf("%d products for a matrix that costs 16", first.spent)
	}
}

// TestConjugateHeeds: once a limit is reached an epoch makes one product, which still leads
// down.
func TestConjugateHeeds(t *testing.T) {
	p := draw.Problem(loss.Logistic{}, "l2", problem.Free, 60, hessian.MostColumns+1, true)
	p.Lambda = 1e-4
	asked, ends := 0, false
	over := func() bool { asked++; return ends }
	s := Newton{}.Start(p, solver.Start{Seed: 1, Over: over}).(*curved)
	s.Epoch()
	if s.conjugate.last < 2 || asked < s.conjugate.last-1 {
		t.Fatalf("asked %d times in %d products: this test shows nothing", asked, s.conjugate.last)
	}
	before, _ := p.Primal(s.w)
	ends = true
	s.Epoch()
	if after, _ := p.Primal(s.w); s.conjugate.last != 1 || !(after < before) {
		t.Errorf("%d products from %g to %g", s.conjugate.last, before, after)
	}
}
