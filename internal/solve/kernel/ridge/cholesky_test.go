package ridge

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	_ "github.com/fenchel-ml/fenchel/internal/solve/newton"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// regression draws rows, targets that are a smooth function of them, and row
// weights.
func regression(n, d int) (x *matrix.Dense, y, s []float64) {
	random := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	values := make([]float32, n*d)
	y, s = make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range d {
			v := random.NormFloat64()
			values[i*d+j] = float32(v)
			y[i] += math.Sin(v + float64(j))
		}
		y[i] += 2 + 0.1*random.NormFloat64()
		s[i] = 0.5 + 2*random.Float64()
	}
	x, err := matrix.NewDense(n, d, values)
	if err != nil {
		panic(err)
	}
	return x, y, s
}

func ridge(t *testing.T, k kernel.Kernel, x matrix.Matrix, y, s []float64, lambda float64, bias problem.Bias, threads int) *problem.Kernel {
	t.Helper()
	gram, err := gram.NewGram(k, x, gram.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(gram, y, s, loss.Squared{}, lambda, bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var biases = []problem.Bias{problem.Free, problem.None, problem.Feature}

// TestCholesky: one epoch proves a gap of 1e-10, but for the bound on rounding
// errors where lambda is small; with the bits of another number of threads, and
// also if rows come twice.
func TestCholesky(t *testing.T) {
	x, y, s := regression(150, 3)
	copy(x.Value[3:6], x.Value[:3])
	for _, bias := range biases {
		for _, weights := range [][]float64{nil, s} {
			for _, lambda := range []float64{1, 1e-3, 1e-6, 1e-9} {
				p := ridge(t, kernel.RBF{Gamma: 0.3}, x, y, weights, lambda, bias, 1)
				one := kerneltest.Run(t, Cholesky{}, p, solver.Options{Gap: 1e-10, Epochs: 1})
				two := kerneltest.Run(t, Cholesky{}, ridge(t, kernel.RBF{Gamma: 0.3}, x, y, weights, lambda, bias, 2), solver.Options{Gap: 1e-10, Epochs: 1})
				c := one.Certificate
				if !(c.Gap()-c.Rounding <= 1e-11*c.Primal) || lambda > 1e-4 && one.Status != solver.Converged {
					t.Errorf("bias %v, lambda %g: %s, gap %.3g, of which rounding is %.3g", bias, lambda, one.Status, c.Relative(), c.Rounding/c.Primal)
				}
				if !slices.Equal(one.Point.W, two.Point.W) || !slices.Equal(one.Point.A, two.Point.A) {
					t.Errorf("bias %v, lambda %g: two threads give other bits", bias, lambda)
				}
			}
		}
	}
}

// TestCholeskyEnds: a run that cannot reach its gap stalls soon, and not worse
// than it was after one epoch.
func TestCholeskyEnds(t *testing.T) {
	x, y, _ := regression(60, 3)
	p := ridge(t, kernel.RBF{Gamma: 0.3}, x, y, nil, 1e-9, problem.Free, 1)
	one := kerneltest.Run(t, Cholesky{}, p, solver.Options{Gap: 1e-14, Epochs: 1})
	all := kerneltest.Run(t, Cholesky{}, p, solver.Options{Gap: 1e-14})
	if all.Status != solver.Stalled || all.Certificate.Gap() > one.Certificate.Gap() {
		t.Errorf("%s with gap %v, after one epoch %v", all.Status, all.Certificate.Gap(), one.Certificate.Gap())
	}
}

// TestPrimalAndDualRidge: with the linear kernel the n x n system has the solution
// of the d x d one that newton solves for the weights.
func TestPrimalAndDualRidge(t *testing.T) {
	for _, shape := range [][2]int{{80, 5}, {20, 40}} {
		x, y, s := regression(shape[0], shape[1])
		for _, bias := range biases {
			dual := kerneltest.Run(t, Cholesky{}, ridge(t, kernel.Linear{}, x, y, s, 0.02, bias, 1), solver.Options{Gap: 1e-12})
			q, err := problem.NewLinear(problem.NewRows(x, 1), y, s, loss.Squared{}, penalty.L2{}, 0.02, bias)
			if err != nil {
				t.Fatal(err)
			}
			newton, err := solver.Linear.New("newton")
			if err != nil {
				t.Fatal(err)
			}
			primal := kerneltest.Run(t, newton, q, solver.Options{Gap: 1e-14})
			w := make([]float64, shape[1])
			for i := range shape[0] {
				x.Row(i).AddTo(w, dual.Point.W[i])
			}
			w = append(w, dual.Point.W[shape[0]])
			for j, v := range w {
				if math.Abs(v-primal.Point.W[j]) > 1e-9 { // gaps end at the rounding of their certificates
					t.Errorf("%v, bias %v: weight %d is %v, by newton %v", shape, bias, j, v, primal.Point.W[j])
				}
			}
		}
	}
}

// TestCholeskyOfSingleRows: where rows of the matrix come in single precision,
// the factor is still that of the matrix in double.
func TestCholeskyOfSingleRows(t *testing.T) {
	x, y, _ := regression(4200, 10) // of which fewer rows fit than are asked for at once
	p := ridge(t, kernel.RBF{Gamma: 1}, x, y, nil, 1e-3, problem.Free, 0)
	if !p.Single() || p.InDouble(support.RowsOfSquare).Capacity() >= support.RowsOfSquare {
		t.Fatal("the rows are in double precision, or all fit: the test tests nothing")
	}
	m := support.Square(p, nil)
	for _, at := range [][2]int{{0, 1}, {4199, 7}, {300, 4000}} {
		if got, want := m[at[0]*4200+at[1]], p.Kernel.Eval(x.Row(at[0]), x.Row(at[1])); got != want {
			t.Errorf("%v: %v, expected %v", at, got, want)
		}
	}
}

// TestCholeskyRefuses names what it cannot do.
func TestCholeskyRefuses(t *testing.T) {
	x, y, _ := regression(20, 2)
	squared := ridge(t, kernel.Linear{}, x, y, nil, 1, problem.Free, 1)
	hinge := *squared
	hinge.Loss = loss.Huber{Delta: 1}
	sigmoid := ridge(t, kernel.Sigmoid{Gamma: 1, Coef0: -1}, x, y, nil, 1, problem.Free, 1)
	for _, c := range []struct {
		p    problem.Problem
		rows int
		want string
	}{{&hinge, 20, "expected squared"}, {sigmoid, 20, "positive semidefinite"}, {squared, 19, "found 20 rows"}, {squared, 20, ""}} {
		err := Cholesky{c.rows}.Accepts(c.p)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("found %v, expected %q", err, c.want)
		}
	}
}
