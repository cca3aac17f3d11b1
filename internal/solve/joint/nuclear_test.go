package joint

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	lossjoint "github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// targets are numbers that depend on rows by a matrix of rank 2.
func targets(x *matrix.Dense, k int) [][]float64 {
	r := rand.New(rand.NewPCG(7, 8))
	left, right, y := make([]float64, 2*x.Cols), make([]float64, 2*k), make([][]float64, k)
	for i := range left {
		left[i] = r.NormFloat64()
	}
	for i := range right {
		right[i] = r.NormFloat64()
	}
	for c := range y {
		y[c] = make([]float64, x.Rows)
		for i := range y[c] {
			y[c][i] = 5 + 0.3*r.NormFloat64()
			for j, v := range x.Value[i*x.Cols : (i+1)*x.Cols] {
				y[c][i] += float64(v) * (left[2*j]*right[2*c] + left[2*j+1]*right[2*c+1])
			}
		}
	}
	return y
}

// slow is plain proximal gradient, by nothing but predictions, slopes and the proximal point, which its own test compares
// with an eigensystem: the least objective that it finds.
func slow(p *problem.Joint, steps int) (least float64) {
	_, cols := p.Dims()
	w, g, m := make([]float64, cols+1), make([]float64, cols+1), make([]float64, len(p.Y)*p.Classes)
	l := p.Smoothness() * (2 + p.MeanSquaredNorm())
	least = math.Inf(1)
	for range steps {
		p.PredictTo(m, w)
		p.Slopes(m, m)
		for i, s := range p.S {
			for c := range p.Classes {
				m[i*p.Classes+c] *= s / p.N
			}
		}
		p.CombineTo(g, m)
		for j := range w {
			if j < p.Penalised() || p.Bias == problem.Free {
				w[j] -= g[j] / l
			}
		}
		p.Penalty.Prox(w[:p.Penalised()], w[:p.Penalised()], p.Lambda/l)
		value, _ := p.Primal(w)
		least = min(least, value)
	}
	return least
}

// TestNuclear: weights of several targets, and of classes under softmax, with the nuclear norm are proved to a gap of 1e-6
// on a small problem; a slow method finds none better than the lower bound, nor the solver one worse; and a large lambda
// leaves a low rank.
func TestNuclear(t *testing.T) {
	x, y, s := blobs(3, 80, 6, 4)
	rows, numbers := problem.NewRows(x, 1), targets(x, 5)
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		for _, l := range []any{loss.Squared{}, loss.Huber{Delta: 1}, lossjoint.Softmax{}} {
			var p *problem.Joint
			var err error
			lambda := 0.5
			if one, ok := l.(loss.Loss); ok {
				p, err = problem.NewJointNumbers(rows, numbers, s, one, penalty.Nuclear{}, lambda, bias)
			} else {
				p, err = problem.NewJoint(rows, y, 4, s, lossjoint.Softmax{}, penalty.Nuclear{}, 0.05, bias)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%T %v", l, bias), func(t *testing.T) {
				name, _ := Choose(p, 1e-6)
				algorithm, err := New(name)
				if err != nil {
					t.Fatal(err)
				}
				sol, err := solver.Run(context.Background(), algorithm, p, solver.Options{Gap: 1e-6, Epochs: 5000})
				if err != nil || sol.Status != solver.Converged {
					t.Fatalf("%v %v, gap %g", err, sol.Status, sol.Certificate.Relative())
				}
				if least := slow(p, 3000); least < sol.Certificate.Dual || sol.Certificate.Primal > least*(1+1e-6) {
					t.Errorf("found %.12g, proved %.12g, a slow method found %.12g", sol.Certificate.Primal, sol.Certificate.Dual, least)
				}
				if rank := p.Penalty.(penalty.Matrix).Rank(sol.Point.W[:p.Penalised()]); rank == 0 || rank >= p.Classes {
					t.Errorf("found the rank %d, expected a lower one than %d", rank, p.Classes)
				}
			})
		}
	}
}
