package ridge

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestLeaveOneOut: the residuals are those of machines trained without the row,
// by the other way of solving, which the lambda of the smaller set is matched
// to; the solutions with all rows are proved; threads change no bit.
func TestLeaveOneOut(t *testing.T) {
	x, y, s := regression(24, 2)
	copy(x.Value[4:6], x.Value[:2]) // a twin
	lambdas := []float64{1e-4, 0.03, 5}
	for _, k := range []kernel.Kernel{kernel.RBF{Gamma: 0.5}, kernel.Linear{}} {
		for _, bias := range biases {
			for _, weights := range [][]float64{nil, s} {
				p := ridge(t, k, x, y, weights, 1, bias, 1)
				path, err := Cholesky{}.LeaveOneOut(p, lambdas)
				if err != nil {
					t.Fatal(err)
				}
				twin, _ := Cholesky{}.LeaveOneOut(ridge(t, k, x, y, weights, 1, bias, 2), lambdas)
				for m, left := range path {
					if !slices.Equal(left.Residual, twin[m].Residual) || !slices.Equal(left.W, twin[m].W) {
						t.Errorf("bias %v: two threads give other bits", bias)
					}
					sum := 0.0
					for i, residual := range left.Residual {
						want := y[i] - without(t, p, i, left.Lambda)
						if !(math.Abs(residual-want) <= 1e-10*(1+math.Abs(want))) {
							t.Errorf("%+v, bias %v, weights %v, lambda %g, row %d: %v, expected %v", k, bias, weights != nil, left.Lambda, i, residual, want)
						}
						sum += p.S[i] * want * want / p.N
					}
					if !(math.Abs(left.Error-sum) <= 1e-9*sum) {
						t.Errorf("error %v, expected %v", left.Error, sum)
					}
					q := *p
					q.Lambda = left.Lambda
					c := kerneltest.Run(t, Cholesky{}, &q, solver.Options{Gap: 1e-10}).Certificate
					if got := q.Certify(problem.Point{W: left.W}).Primal; !(got <= c.Primal*(1+1e-10)) {
						t.Errorf("%+v, bias %v, lambda %g: the solution has the objective %v, expected %v", k, bias, left.Lambda, got, c.Primal)
					}
				}
			}
		}
	}
}

// without returns what p with another lambda predicts for row i when it is trained
// without it.
func without(t *testing.T, p *problem.Kernel, i int, lambda float64) (prediction float64) {
	all := p.X.(*matrix.Dense)
	n, d := all.Dims()
	rest, err := matrix.NewDense(n-1, d, slices.Delete(slices.Clone(all.Value), i*d, i*d+d))
	if err != nil {
		t.Fatal(err)
	}
	delete := func(v []float64) []float64 { return slices.Delete(slices.Clone(v), i, i+1) }
	q := ridge(t, p.Kernel, rest, delete(p.Y), delete(p.S), 1, p.Bias, 1)
	q.Lambda = lambda * p.N / q.N
	s := Cholesky{}.Start(q, solver.Start{})
	s.Epoch()
	w := s.Point().W
	for j := range n - 1 {
		prediction += w[j] * p.Kernel.Eval(all.Row(i), rest.Row(j))
	}
	return prediction + w[n-1]
}

// TestLeaveOneOutOfOne: without its only row a machine predicts 0, or, with a free
// bias, nothing.
func TestLeaveOneOutOfOne(t *testing.T) {
	x, err := matrix.NewDense(1, 1, []float32{2})
	if err != nil {
		t.Fatal(err)
	}
	for _, bias := range biases {
		left, err := Cholesky{}.LeaveOneOut(ridge(t, kernel.Linear{}, x, []float64{3}, nil, 1, bias, 1), []float64{0.5})
		if err != nil {
			t.Fatal(err)
		}
		got := left[0].Residual[0]
		if bias == problem.Free && !math.IsNaN(got) || bias != problem.Free && math.Abs(got-3) > 1e-14 {
			t.Errorf("bias %v: residual %v, expected 3, or NaN with a free bias", bias, got)
		}
	}
}

// TestLeaveOneOutRefuses: a lambda that makes no problem.
func TestLeaveOneOutRefuses(t *testing.T) {
	x, y, _ := regression(5, 1)
	p := ridge(t, kernel.Linear{}, x, y, nil, 1, problem.Free, 1)
	for _, lambda := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := (Cholesky{}).LeaveOneOut(p, []float64{1, lambda}); err == nil {
			t.Errorf("lambda %g was taken", lambda)
		}
	}
	if _, err := (Cholesky{Rows: 4}).LeaveOneOut(p, []float64{1}); err == nil {
		t.Error("5 rows were taken, expected at most 4")
	}
}
