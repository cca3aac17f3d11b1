package stochastic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestBatchThreads finds the same bits on any number of threads where a batch is shared among them.
func TestBatchThreads(t *testing.T) {
	const n, d = 600, 150
	r := rand.New(rand.NewPCG(4, 4))
	x, y := &matrix.Dense{Rows: n, Cols: d}, make([]float64, n)
	for i := range y {
		for range d {
			x.Value = append(x.Value, float32(r.NormFloat64()))
		}
		y[i] = float64(2*r.IntN(2) - 1)
	}
	for _, name := range []string{"sgd:batch=256", "adam:batch=256,gamma=0.1", "pegasos:batch=256", "saga:batch=256"} {
		s, err := solver.Linear.New(name)
		if err != nil {
			t.Fatal(err)
		}
		var first []float64
		for _, threads := range []int{1, 2, 5} {
			p, err := problem.NewLinear(problem.NewRows(x, threads), y, nil, loss.Logistic{}, penalty.L2{}, 0.01, problem.Feature)
			if err != nil {
				t.Fatal(err)
			}
			run := s.Start(p, solver.Start{Seed: 1}).(*state)
			run.draw()
			want := 1
			if run.geometry == "diagonal" {
				want = threads
			}
			if found := run.threads(); found != want {
				t.Fatalf("%s: found a batch on %d threads, expected %d", name, found, want)
			}
			run.Epoch()
			run.Epoch()
			w := slices.Clone(run.Point().W)
			if first == nil {
				first = w
			}
			if !slices.Equal(w, first) {
				t.Errorf("%s, %d threads: found other bits than on one", name, threads)
			}
		}
	}
}

// BenchmarkBatch is an epoch of batches of 256 rows of 784 features on one core and on two.
func BenchmarkBatch(b *testing.B) {
	const n, d = 8192, 784
	r := rand.New(rand.NewPCG(4, 4))
	x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
	for k := range x.Value {
		x.Value[k] = float32(r.NormFloat64())
	}
	for i := range y {
		y[i] = float64(2*r.IntN(2) - 1)
	}
	for _, name := range []string{"sgd", "adam"} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("solver=%s/threads=%d", name, threads), func(b *testing.B) {
				s, _ := solver.Linear.New(name + ":batch=256,gamma=0.1")
				p, err := problem.NewLinear(problem.NewRows(x, threads), y, nil, loss.Logistic{}, penalty.L2{}, 0.01, problem.Free)
				if err != nil {
					b.Fatal(err)
				}
				state := s.Start(p, solver.Start{Seed: 1})
				for b.Loop() {
					state.Epoch()
				}
			})
		}
	}
}
