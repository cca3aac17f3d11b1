package joint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	lossjoint "github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// blobs are rows of k classes around centres, with weights.
func blobs(seed uint64, n, d, k int) (x *matrix.Dense, y []uint32, s []float64) {
	r := rand.New(rand.NewPCG(seed, 27))
	x, y, s = &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]uint32, n), make([]float64, n)
	centre := make([]float64, d*k)
	for j := range centre {
		centre[j] = 1.5 * r.NormFloat64()
	}
	for i := range y {
		y[i], s[i] = uint32(r.IntN(k)), 0.5+r.Float64()
		for j := range d {
			x.Value[i*d+j] = float32(centre[int(y[i])*d+j] + r.NormFloat64() + 0.3)
		}
	}
	return x, y, s
}

// examined has the relative gap that each solver must prove, and how many epochs it may take.
var examined = []struct {
	name   string
	gap    float64
	epochs int
	least  float64 // lambda: below it a solver takes many epochs
	corner float64 // the same with a penalty that has a corner
}{
	{"lbfgs", 1e-5, 500, 0, 0.01},
	{"sdca", 1e-4, 5000, 0.01, 0.01},
	{"interior-point", 1e-8, 40, 0, 0},
	{"accelerated", 1e-4, 2000, 0.01, 0.01},
}

func TestSolvers(t *testing.T) {
	x, y, s := blobs(1, 120, 4, 3)
	rows := problem.NewRows(x, 1)
	tested := map[string]int{}
	for _, c := range examined {
		algorithm, err := New(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range lossjoint.Entries() {
			l, _ := lossjoint.New(e.Name)
			for _, pen := range []penalty.Penalty{penalty.L2{}, penalty.ElasticNet{Ratio: 0.3}, penalty.L1{}, penalty.Nuclear{}} {
				for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
					for _, lambda := range []float64{1, 0.01, 1e-4} {
						p, err := problem.NewJoint(rows, y, 3, s, l, pen, lambda, bias)
						if err != nil {
							t.Fatal(err)
						}
						if algorithm.Accepts(p) != nil || lambda < c.least || !penalty.IsRidge(pen) && lambda < c.corner {
							continue
						}
						tested[c.name]++
						sol, err := solver.Run(context.Background(), algorithm, p, solver.Options{Gap: c.gap, Epochs: c.epochs})
						if err != nil || sol.Status != solver.Converged || len(sol.Certificate.Warnings) > 0 {
							t.Errorf("%s %s %T %v lambda=%g: %v %v after %d epochs, gap %g %v", c.name, e.Name, pen, bias, lambda, err, sol.Status, sol.Epochs, sol.Certificate.Relative(), sol.Certificate.Warnings)
						}
					}
				}
			}
		}
	}
	for _, e := range Entries() {
		if tested[e.Name] < 9 {
			t.Errorf("solver %s was tested on %d problems", e.Name, tested[e.Name])
		}
	}
}

// TestMachines: with the linear kernel the answer is that of linear predictors.
func TestMachines(t *testing.T) {
	x, y, s := blobs(2, 90, 3, 4)
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range lossjoint.Entries() {
		l, _ := lossjoint.New(e.Name)
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			t.Run(fmt.Sprint(e.Name, bias), func(t *testing.T) {
				p, err := problem.NewJoint(problem.NewRows(x, 1), y, 4, s, l, penalty.L2{}, 0.02, bias)
				if err != nil {
					t.Fatal(err)
				}
				q, err := problem.NewJointKernel(gram, y, 4, s, l, 0.02, bias)
				if err != nil {
					t.Fatal(err)
				}
				a, err := solver.Run(context.Background(), SDCA{}, p, solver.Options{Gap: 1e-7, Epochs: 3000})
				if err != nil {
					t.Fatal(err)
				}
				b, err := solver.Run(context.Background(), SDCA{}, q, solver.Options{Gap: 1e-7, Epochs: 3000})
				if err != nil || a.Status != solver.Converged || b.Status != solver.Converged {
					t.Fatalf("%v: %s with the gap %g, %s with %g", err, a.Status, a.Certificate.Relative(), b.Status, b.Certificate.Relative())
				}
				if a.Certificate.Dual > b.Certificate.Primal || b.Certificate.Dual > a.Certificate.Primal {
					t.Errorf("linear predictors from %g to %g, kernel machines from %g to %g", a.Certificate.Dual, a.Certificate.Primal, b.Certificate.Dual, b.Certificate.Primal)
				}
			})
		}
	}
}

// TestTwoClasses: with two classes the problem is that of the difference of the weights v = w_1 -
// w_0, of which w_1 = v/2 and w_0 = -v/2 cost the least: |W|^2 = |v|^2/2, and so lambda is halved.
func TestTwoClasses(t *testing.T) {
	x, y, s := blobs(3, 150, 3, 2)
	rows := problem.NewRows(x, 1)
	target := make([]float64, len(y))
	for i, c := range y {
		target[i] = 2*float64(c) - 1
	}
	for _, e := range lossjoint.Entries() {
		l, _ := lossjoint.New(e.Name)
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			p, err := problem.NewJoint(rows, y, 2, s, l, penalty.L2{}, 0.02, bias)
			if err != nil {
				t.Fatal(err)
			}
			q, err := problem.NewLinear(rows, target, s, l.Two(), penalty.L2{}, 0.01, bias)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := Choose(p, 1e-7)
			algorithm, _ := New(name)
			a, err := solver.Run(context.Background(), algorithm, p, solver.Options{Gap: 1e-7, Epochs: 5000})
			if err != nil {
				t.Fatal(err)
			}
			b, err := solver.Run(context.Background(), dual.SDCA{}, q, solver.Options{Gap: 1e-7, Epochs: 5000})
			if err != nil {
				t.Fatal(err)
			}
			if a.Certificate.Relative() > 1e-5 || b.Certificate.Relative() > 1e-5 || a.Certificate.Dual > b.Certificate.Primal || b.Certificate.Dual > a.Certificate.Primal {
				t.Errorf("%s %v: from %.9g to %.9g, of two classes from %.9g to %.9g", e.Name, bias, a.Certificate.Dual, a.Certificate.Primal, b.Certificate.Dual, b.Certificate.Primal)
			}
		}
	}
}

// TestChoose: the rules use counts alone.
func TestChoose(t *testing.T) {
	x, y, s := blobs(4, 60, 3, 3)
	rows := problem.NewRows(x, 1)
	for _, c := range []struct {
		l      lossjoint.Loss
		pen    penalty.Penalty
		lambda float64
		want   string
	}{
		{lossjoint.Softmax{}, penalty.L2{}, 1, "lbfgs"},
		{lossjoint.Softmax{}, penalty.L2{}, 1e-3, "lbfgs"},
		{lossjoint.Softmax{}, penalty.L1{}, 1, "lbfgs"},
		{lossjoint.Softmax{}, penalty.ElasticNet{Ratio: 0.5}, 1e-3, "sdca"},
		{lossjoint.CrammerSinger{}, penalty.L2{}, 1e-3, "interior-point"},
		{lossjoint.CrammerSinger{}, penalty.ElasticNet{Ratio: 0.5}, 1e-3, "sdca"},
	} {
		p, err := problem.NewJoint(rows, y, 3, s, c.l, c.pen, c.lambda, problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		if name, why := Choose(p, 1e-3); name != c.want || why == "" {
			t.Errorf("%T %T lambda=%g: found %s (%s), expected %s", c.l, c.pen, c.lambda, name, why, c.want)
		}
	}
	wide, y65, s65 := blobs(4, 60, 65, 3)
	p, err := problem.NewJoint(problem.NewRows(wide, 1), y65, 3, s65, lossjoint.Softmax{}, penalty.L2{}, 100, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	if name, why := Choose(p, 1e-3); name != "sdca" {
		t.Errorf("65 features, long dual steps: found %s (%s), expected sdca", name, why)
	}
	p, err = problem.NewJoint(rows, y, 3, s, lossjoint.CrammerSinger{}, penalty.L1{}, 1, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Entries() {
		algorithm, _ := New(e.Name)
		if algorithm.Accepts(p) == nil {
			t.Errorf("%s takes a loss with corners and the penalty l1", e.Name)
		}
	}
}

// TestSmallLambda: where dual steps are short, and dual ascent stalls, the method that is chosen
// takes no more steps, also with rows of extreme weights that a plane separates.
func TestSmallLambda(t *testing.T) {
	x, y, s := blobs(7, 300, 10, 4)
	s[5], s[17] = 1e-4, 1e4
	rows := problem.NewRows(x, 1)
	for _, c := range []float64{1, 1e3, 1e6} {
		for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
			p, err := problem.NewJoint(rows, y, 4, s, lossjoint.CrammerSinger{}, penalty.L2{}, 1/(300*c), bias)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := Choose(p, 1e-4)
			algorithm, _ := New(name)
			sol, err := solver.Run(context.Background(), algorithm, p, solver.Options{Gap: 1e-4, Epochs: 60})
			if err != nil || sol.Status != solver.Converged {
				t.Errorf("C=%g, bias %v, %s: %v, %s, gap %g after %d epochs", c, bias, name, err, sol.Status, sol.Certificate.Relative(), sol.Epochs)
			}
		}
	}
}

// TestThreads: the bits do not depend on the threads.
func TestThreads(t *testing.T) {
	x, y, s := blobs(5, 3000, 5, 4)
	for name, l := range map[string]lossjoint.Loss{"sdca": lossjoint.Softmax{}, "lbfgs": lossjoint.Softmax{}, "interior-point": lossjoint.CrammerSinger{}} {
		var first []float64
		for _, threads := range []int{1, 3} {
			p, err := problem.NewJoint(problem.NewRows(x, threads), y, 4, s, l, penalty.L2{}, 1e-3, problem.Free)
			if err != nil {
				t.Fatal(err)
			}
			algorithm, _ := New(name)
			sol, err := solver.Run(context.Background(), algorithm, p, solver.Options{Gap: 1e-4, Epochs: 500})
			if err != nil || sol.Status != solver.Converged {
				t.Fatal(err, sol.Status)
			}
			if first == nil {
				first = sol.Point.W
			} else if !slices.Equal(first, sol.Point.W) {
				t.Errorf("%s: other weights with %d threads", name, threads)
			}
		}
	}
}

// TestShifts: weights that begin shifted, all classes alike, take no more steps than others: such a shift changes no
// loss, which the blocks of the metric alone do not know.
func TestShifts(t *testing.T) {
	x, y, s := blobs(6, 800, 20, 6)
	rows := problem.NewRows(x, 1)
	algorithm, _ := New("lbfgs")
	for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
		p, err := problem.NewJoint(rows, y, 6, s, lossjoint.Softmax{}, penalty.L2{}, 1e-6, bias)
		if err != nil {
			t.Fatal(err)
		}
		most := 60
		for _, shift := range []float64{0, 3} {
			from := &problem.Point{W: slices.Repeat([]float64{shift}, 21*6)}
			if bias == problem.None {
				clear(from.W[20*6:])
			}
			sol, err := solver.Run(context.Background(), algorithm, p, solver.Options{Gap: 1e-6, Epochs: 1000, From: from})
			if err != nil || sol.Status != solver.Converged || sol.Epochs > most {
				t.Fatalf("bias %v, shift %g: %v, %v after %d epochs, expected %d at most", bias, shift, err, sol.Status, sol.Epochs, most)
			}
			most = sol.Epochs + 3
		}
	}
}
