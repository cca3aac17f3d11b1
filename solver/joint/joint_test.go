package joint

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	lossjoint "github.com/fenchel-ml/fenchel/loss/joint"
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
}{
	{"sdca", 1e-4, 5000, 0.01},
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
			for _, pen := range []penalty.Penalty{penalty.L2{}, penalty.ElasticNet{Ratio: 0.3}, penalty.L1{}} {
				for _, bias := range []problem.Bias{problem.Free, problem.None, problem.Feature} {
					for _, lambda := range []float64{1, 0.01, 1e-4} {
						p, err := problem.NewJoint(rows, y, 3, s, l, pen, lambda, bias)
						if err != nil {
							t.Fatal(err)
						}
						if algorithm.Accepts(p) != nil || lambda < c.least {
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
	gram, err := kernel.NewGram(kernel.Linear{}, x, kernel.Options{Threads: 1})
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
