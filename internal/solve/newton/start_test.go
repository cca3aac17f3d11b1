package newton

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestStart: with many rows of each class Newton's method begins where it comes to
// from w = 0 only after an epoch, unless it begins at a point.
func TestStart(t *testing.T) {
	for _, l := range []loss.Curved{loss.Logistic{}, loss.SquaredHinge{}} {
		for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
			for _, lambda := range []float64{1e-4, 1e-7} {
				p := draw.Problem(l, "l2", bias, 3*startRows, 12, true)
				p.Lambda = lambda
				n, d := p.Dims()
				started, zero := newCurved(p, l, nil), newCurved(p, l, &problem.Point{W: make([]float64, d+1)})
				if !worthStart(p) || startSize(p) != n/sampleShare || vec.SquaredNorm64(zero.w) != 0 {
					t.Fatalf("%T: %d rows are not enough, or a point is not begun at", l, n)
				}
				zero.Epoch()
				if first, second := started.primal(), zero.primal(); !(first < second) {
					t.Errorf("%T, bias %v, lambda %g: P is %v in the beginning, %v after an epoch from 0", l, bias, lambda, first, second)
				}
			}
		}
	}
}

// TestWorthStart: no sample of few rows, of few for each column, of a class that is rare,
// and for squared loss.
func TestWorthStart(t *testing.T) {
	rare := draw.Problem(loss.Logistic{}, "l2", problem.None, fewestRows, 10, true)
	for i := range rare.Y {
		rare.Y[i] = -1
	}
	rare.Y[7] = 1
	for name, p := range map[string]*problem.Linear{
		"few rows":   draw.Problem(loss.Logistic{}, "l2", problem.None, fewestRows-1, 4, true),
		"columns":    draw.Problem(loss.Logistic{}, "l2", problem.None, fewestRows, fewestRows/sampleShare/startFewest+1, false),
		"rare class": rare,
		"squared":    draw.Problem(loss.Squared{}, "l2", problem.None, fewestRows, 4, true),
	} {
		if worthStart(p) {
			t.Errorf("%s: a sample", name)
		}
	}
	if !worthStart(draw.Problem(loss.Logistic{}, "l2", problem.None, fewestRows, fewestRows/sampleShare/startFewest, false)) {
		t.Error("no sample where there is one row more")
	}
}

// TestStartWithoutMatrix: where H is worth it for all rows, but too expensive for the few
// of the sample, that is solved by conjugate gradients.
func TestStartWithoutMatrix(t *testing.T) {
	const d, n = 256, 64 * 256
	m := &matrix.CSR{Cols: d, Start: []int64{0}}
	y := make([]float64, n)
	for i := range y {
		m.Index, m.Value = append(m.Index, uint32(i%d)), append(m.Value, 1)
		m.Start = append(m.Start, int64(i+1))
		y[i] = float64(1 - i/d%2*2)
	}
	p := must(problem.NewLinear(problem.NewRows(m, 1), y, nil, loss.Logistic{}, must(penalty.New("l2")), 1e-4, problem.Free))
	s := newCurved(p, loss.Logistic{}, nil)
	if !worthStart(p) || s.hessian == nil {
		t.Fatal("no sample, or no matrix of all rows")
	}
	for range 5 {
		s.Epoch()
	}
	if gap := p.Certify(s.Point()).Relative(); gap > 1e-6 {
		t.Errorf("relative gap %g", gap)
	}
}
