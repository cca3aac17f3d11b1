package stochastic

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestRandomIterate: the iterate of output=random is uniform over those at which gradients were taken, w_0 to
// w_{T-1}, as Theorem 1 of the paper on the primal gradient solver has it (L6).
func TestRandomIterate(t *testing.T) {
	x, err := matrix.NewDense(3, 1, []float32{1, 2, -1.5})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewLinear(problem.NewRows(x, 1), []float64{1, -1, 1}, nil, loss.Logistic{}, penalty.L2{}, 0.1, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pgs", "stochastic"} {
		s, err := solver.Linear.New(name + ":output=random")
		if err != nil {
			t.Fatal(err)
		}
		const steps, runs = 5, 4000
		var count [steps]float64
		for seed := range uint64(runs) {
			state := s.Start(p, solver.Start{Seed: seed}).(Walker)
			var iterates [steps + 1]float64
			w := make([]float64, 2)
			for k := range steps {
				state.Weights(w)
				iterates[k] = w[0]
				state.Steps(1)
			}
			found := -1
			for k, v := range iterates[:steps] {
				if math.Abs(v-state.Point().W[0]) < 1e-15 {
					found = k
				}
			}
			if found < 0 {
				t.Fatalf("%s: found %v, none of %v", name, state.Point().W[0], iterates)
			}
			count[found]++
		}
		chi := 0.0
		for _, c := range count {
			chi += (c - runs/steps) * (c - runs/steps) / (runs / steps)
		}
		if chi > 18.5 { // of four degrees of freedom with probability 0.001
			t.Errorf("%s: found the iterates %v times, expected each %d", name, count, runs/steps)
		}
	}
}

// TestLastIsTheLast: an output that is asked for is that of the end of a run, also where an earlier one was better.
func TestLastIsTheLast(t *testing.T) {
	x, y := make([]float32, 60), make([]float64, 20)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
		for j := range 3 {
			x[3*i+j] = float32(math.Sin(float64(7*i+j))) + float32(y[i])/4
		}
	}
	m, err := matrix.NewDense(20, 3, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewLinear(problem.NewRows(m, 1), y, nil, loss.Hinge{}, penalty.L2{}, 0.05, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	worse := 0
	for _, spec := range []string{"pegasos:output=last", "pegasos:output=average", "pgs:output=random", "sgd:output=last"} {
		s, err := solver.Linear.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for epochs := 1; epochs <= 12; epochs++ {
			state := s.Start(p, solver.Start{Seed: 3})
			least := math.Inf(1)
			for range epochs {
				state.Epoch()
				value, _ := p.Primal(state.Point().W)
				least = min(least, value)
			}
			solution, err := solver.Run(t.Context(), s, p, solver.Options{Gap: 1e-12, Epochs: epochs, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			end, _ := p.Primal(state.Point().W)
			if found, _ := p.Primal(solution.Point.W); math.Abs(found-end) > 1e-12 {
				t.Errorf("%s: objective %v after %d epochs, expected that of the end, %v", spec, found, epochs, end)
			}
			if end > least {
				worse++
			}
		}
	}
	if worse == 0 {
		t.Error("the end was never worse than a point before it: nothing is shown")
	}
}
